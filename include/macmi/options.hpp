#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace macmi {

/// How many neighbours: an absolute number, a fraction of the sample (0 < f < 1), or `auto`.
class NeighbourCount {
 public:
  constexpr NeighbourCount(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static constexpr NeighbourCount automatic() { return NeighbourCount(0.0); }
  static NeighbourCount parse(const std::string& text);

  bool is_automatic() const { return value_ == 0.0; }
  double value() const { return value_; }
  /// The absolute number for n samples; a fraction rounds to the nearest integer, at least 1.
  std::size_t resolve(std::size_t n) const;
  std::string text() const;

 private:
  double value_;
};

/// One of a fixed set of words.
struct Choice {
  std::vector<std::string> words;
  std::function<void(std::size_t)> set;
  std::function<std::size_t()> get;
};

/// A reference to the field of an options struct that an option sets.
using OptionField = std::variant<bool*, std::int64_t*, std::uint64_t*, std::optional<std::uint64_t>*, double*,
                                 std::string*, std::vector<std::string>*, NeighbourCount*, Choice>;

/// One option, declared once: the command line, Python and docs/options.md are derived from these declarations.
/// The default is the value the field has when the struct is default-constructed.
struct Option {
  std::string name;  ///< "z-weight": --z-weight on the command line, z_weight in Python
  OptionField field;
  std::string meaning;                                    ///< one sentence; what it does for the user
  double low = -std::numeric_limits<double>::infinity();  ///< numbers outside [low, high] are refused
  double high = std::numeric_limits<double>::infinity();
  std::string value_name = {};  ///< placeholder in --help; derived from the type when empty
  bool required = false;
};

/// Names of options and their values as text.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// Sets the field from text; throws InputError naming the option and what it accepts.
void set_from_text(const Option& option, const std::string& text);
/// The field's value as text that set_from_text accepts.
std::string value_text(const Option& option);
/// The values that the option accepts, in words: "none, block, standardize, ranks" or "a number from 0 to 1".
std::string accepts_text(const Option& option);

/// A Choice over an enum whose enumerators are 0, 1, 2, … in the order of `words`.
template <class Enum>
Choice choice_of(Enum& field, std::vector<std::string> words) {
  return Choice{std::move(words), [&field](std::size_t i) { field = static_cast<Enum>(i); },
                [&field] { return static_cast<std::size_t>(field); }};
}

}  // namespace macmi
