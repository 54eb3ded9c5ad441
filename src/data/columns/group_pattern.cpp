// GCC 12 takes a member of its own <regex> for uninitialised when sanitizers are on: a false alarm, silenced here
// alone.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "data/columns/group_pattern.hpp"

#include <fmt/format.h>

#include <regex>

#include "macmi/error.hpp"

namespace macmi::data {

struct GroupPattern::Compiled {
  std::regex regex;
};

GroupPattern::GroupPattern(const std::string& expression) {
  if (expression.empty()) return;
  try {
    compiled_ = std::make_unique<Compiled>(Compiled{std::regex(expression)});
  } catch (const std::regex_error& error) {
    throw InputError(fmt::format("--group '{}' is not a regular expression: {}", expression, error.what()));
  }
  if (compiled_->regex.mark_count() == 0)
    throw InputError(fmt::format(
        "--group '{}' has no capture group: put the part that names the feature in parentheses", expression));
}

GroupPattern::~GroupPattern() = default;

std::optional<std::string> GroupPattern::feature_of(const std::string& column) const {
  std::smatch match;
  if (!compiled_ || !std::regex_search(column, match, compiled_->regex) || match[1].length() == 0) return {};
  return match[1].str();
}

}  // namespace macmi::data
