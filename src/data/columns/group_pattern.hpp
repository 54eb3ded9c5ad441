#pragma once
#include <memory>
#include <optional>
#include <string>

namespace macmi::data {

/// The regular expression of --group (ECMAScript), whose first capture group names the feature a column belongs to.
class GroupPattern {
 public:
  /// Throws InputError for what is no expression or has no capture group. Empty: matches nothing.
  explicit GroupPattern(const std::string& expression);
  ~GroupPattern();
  GroupPattern(const GroupPattern&) = delete;
  GroupPattern& operator=(const GroupPattern&) = delete;
  /// The feature for a column of this name, where the expression matches and captures something.
  std::optional<std::string> feature_of(const std::string& column) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace macmi::data
