#pragma once
#include <optional>
#include <string_view>

namespace macmi {

/// The number a field of text stands for, if it is one: optional spaces around it and a sign, decimal or scientific,
/// nan, inf and infinity in any case. `decimal` is the decimal separator.
std::optional<double> parse_number_text(std::string_view text, char decimal = '.');

/// Seconds since 1970-01-01 of a date, or date and time, of the forms 2018-01-31, 2018/1/31, 2018-01-31 12:30[:59.5] (T
/// between them and a closing Z allowed).
std::optional<double> parse_time_text(std::string_view text);

/// The texts that stand for "no value" in CSV fields.
bool is_missing_text(std::string_view text);
inline constexpr std::string_view missing_texts[] = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "?"};

}  // namespace macmi
