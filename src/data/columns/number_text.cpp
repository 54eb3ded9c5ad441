#include "data/columns/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

namespace macmi::data {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes a whole number of at most `digits` digits off the front.
bool take(std::string_view& text, int digits, int& value) {
  std::size_t length = 0;
  while (length < text.size() && length < static_cast<std::size_t>(digits) && text[length] >= '0' &&
         text[length] <= '9')
    ++length;
  if (length == 0) return false;
  std::from_chars(text.data(), text.data() + length, value);
  text.remove_prefix(length);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// 12:30, 12:30:59 or 12:30:59.25 as seconds of the day.
std::optional<double> clock_seconds(std::string_view text) {
  int hours = 0, minutes = 0;
  double seconds = 0;
  if (!take(text, 2, hours) || !take(text, ':') || !take(text, 2, minutes) || hours > 24 || minutes > 59) return {};
  if (take(text, ':')) {
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
    if (error != std::errc() || seconds < 0 || seconds > 60) return {};
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
  take(text, 'Z');
  if (!text.empty()) return {};
  return 3600.0 * hours + 60.0 * minutes + seconds;
}

}  // namespace

std::optional<double> parse_number_text(std::string_view text, char decimal) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  if (text.empty()) return {};
  std::string swapped;
  if (decimal != '.' && text.find(decimal) != std::string_view::npos) {
    swapped = text;
    std::replace(swapped.begin(), swapped.end(), decimal, '.');
    text = swapped;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end) return {};
  if (error == std::errc::result_out_of_range) {
    // Too large or too small for a double: the limit, as every reader of decimal text gives it.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos ? text.substr(exponent + 1).starts_with('-')
                                                         : text.find('.') != std::string_view::npos;
    return std::copysign(tiny ? 0.0 : std::numeric_limits<double>::infinity(), text.starts_with('-') ? -1.0 : 1.0);
  }
  if (error != std::errc()) return {};
  return value;
}

std::optional<double> parse_time_text(std::string_view text) {
  text = trimmed(text);
  int year = 0, month = 0, day = 0;
  if (!take(text, 4, year) || year < 1000) return {};
  const char separator = text.empty() ? '\0' : text.front();
  if ((separator != '-' && separator != '/') || !take(text, separator) || !take(text, 2, month) ||
      !take(text, separator) || !take(text, 2, day))
    return {};
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  double seconds = 86400.0 * static_cast<double>(sys_days(date).time_since_epoch().count());
  if (text.empty()) return seconds;
  if (text.front() != ' ' && text.front() != 'T') return {};
  const std::optional<double> clock = clock_seconds(text.substr(1));
  if (!clock) return {};
  return seconds + *clock;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_padded_code(std::string_view text) {
  return text.size() > 1 && text.front() == '0' && is_digits(text);
}

std::vector<std::string> missing_texts(const std::vector<std::string>& na) {
  if (na.empty()) return {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "?"};
  std::vector<std::string> texts = {""};
  if (na != std::vector<std::string>{"none"}) texts.insert(texts.end(), na.begin(), na.end());
  return texts;
}

}  // namespace macmi::data
