#include "macmi/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/name_list.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

template <class T>
bool parse_number(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

[[noreturn]] void refuse(const Option& option, const std::string& text) {
  throw InputError(fmt::format("--{} does not accept '{}': give {}", option.name, text, accepts_text(option)));
}

template <class T>
void set_number(const Option& option, const std::string& text, T& field) {
  T value{};
  if (!parse_number(text, value) || !(static_cast<double>(value) >= option.low) ||
      !(static_cast<double>(value) <= option.high))
    refuse(option, text);
  field = value;
}

std::string range_text(const Option& option, const char* kind) {
  const bool below = std::isfinite(option.low), above = std::isfinite(option.high);
  if (below && above) return fmt::format("{} from {} to {}", kind, option.low, option.high);
  if (below) return fmt::format("{} of at least {}", kind, option.low);
  if (above) return fmt::format("{} of at most {}", kind, option.high);
  return kind;
}

}  // namespace

NeighbourCount NeighbourCount::parse(const std::string& text) {
  if (text == "auto") return automatic();
  double value = 0;
  if (!parse_number(text, value) || !(value > 0) || !(value <= 1e15) || (value >= 1 && value != std::floor(value)))
    throw InputError(fmt::format("'{}' is not a number of neighbours", text));
  return value;
}

std::size_t NeighbourCount::resolve(std::size_t n) const {
  if (value_ >= 1) return static_cast<std::size_t>(value_);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(value_ * static_cast<double>(n))));
}

std::string NeighbourCount::text() const {
  return is_automatic() ? "auto" : fmt::format("{}", value_);
}

void set_from_text(const Option& option, const std::string& text) {
  std::visit(Overloaded{
                 [&](bool* field) {
                   if (text != "true" && text != "false") refuse(option, text);
                   *field = text == "true";
                 },
                 [&](std::int64_t* field) { set_number(option, text, *field); },
                 [&](std::uint64_t* field) { set_number(option, text, *field); },
                 [&](std::optional<std::uint64_t>* field) {
                   if (text == "auto") return field->reset();
                   std::uint64_t value = 0;
                   set_number(option, text, value);
                   *field = value;
                 },
                 [&](double* field) { set_number(option, text, *field); },
                 [&](std::string* field) { *field = text; },
                 [&](std::vector<std::string>* field) { *field = base::split_names(text); },
                 [&](NeighbourCount* field) {
                   try {
                     *field = NeighbourCount::parse(text);
                   } catch (const InputError&) {
                     refuse(option, text);
                   }
                   if (field->is_automatic() && option.low > 0) refuse(option, text);
                 },
                 [&](const Choice& choice) {
                   const auto word = std::find(choice.words.begin(), choice.words.end(), text);
                   if (word == choice.words.end()) refuse(option, text);
                   choice.set(static_cast<std::size_t>(word - choice.words.begin()));
                 },
             },
             option.field);
}

std::string value_text(const Option& option) {
  return std::visit(Overloaded{
                        [](const bool* field) { return std::string(*field ? "true" : "false"); },
                        [](const std::optional<std::uint64_t>* field) {
                          return *field ? fmt::format("{}", **field) : std::string("auto");
                        },
                        [](const std::string* field) { return *field; },
                        [](const std::vector<std::string>* field) { return base::join_names(*field); },
                        [](const NeighbourCount* field) { return field->text(); },
                        [](const Choice& choice) { return choice.words[choice.get()]; },
                        [](const auto* number) { return fmt::format("{}", *number); },
                    },
                    option.field);
}

std::string accepts_text(const Option& option) {
  return std::visit(
      Overloaded{
          [](const bool*) { return std::string("true or false"); },
          [&](const double*) { return range_text(option, "a number"); },
          [](const std::string*) { return std::string("text"); },
          [&](const std::optional<std::uint64_t>*) { return range_text(option, "a whole number") + ", or auto"; },
          [](const std::vector<std::string>*) {
            return std::string("names separated by commas, \"quoted\" where they hold commas");
          },
          [&](const NeighbourCount*) {
            return fmt::format("a whole number of at least 1, or a fraction of the samples such as 0.1{}",
                               option.low > 0 ? "" : ", or auto");
          },
          [](const Choice& choice) { return fmt::format("{}", fmt::join(choice.words, ", ")); },
          [&](const auto*) { return range_text(option, "a whole number"); },
      },
      option.field);
}

}  // namespace macmi
