#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace macmi::data {

/// The number a field of text stands for, if it is one: optional spaces around it and a sign, decimal or scientific,
/// nan, inf and infinity in any case. `decimal` is the decimal separator.
std::optional<double> parse_number_text(std::string_view text, char decimal = '.');

/// Seconds since 1970-01-01 of a date, or date and time, of the forms 2018-01-31, 2018/1/31, 2018-01-31 12:30[:59.5] (T
/// between them and a closing Z allowed).
std::optional<double> parse_time_text(std::string_view text);

/// A whole number written with zeros in front, such as 00123: a code, whose zeros a number would lose.
bool is_padded_code(std::string_view text);
/// Digits and nothing else.
bool is_digits(std::string_view text);

/// The texts that stand for "no value" in CSV fields. `na` is what --na says: nothing (the usual ones), the word none
/// (no text but the empty one), or a list. The empty field is always among them.
std::vector<std::string> missing_texts(const std::vector<std::string>& na = {});

}  // namespace macmi::data
