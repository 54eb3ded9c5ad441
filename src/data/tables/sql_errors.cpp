#include "data/tables/sql_errors.hpp"

#include <fmt/format.h>

#include <charconv>

namespace macmi::data {
namespace {

/// The text between `before` and `after`; empty when it is not there.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

std::string column_name(const std::string& internal, const std::vector<std::string>& names) {
  std::size_t index = 0;
  if (internal.size() < 2 || internal[0] != 'k') return internal;
  const auto [rest, error] = std::from_chars(internal.data() + 1, internal.data() + internal.size(), index);
  return error == std::errc() && index < names.size() ? names[index] : internal;
}

}  // namespace

std::string explain_csv_error(const std::string& message, const std::string& source,
                              const std::vector<std::string>& names) {
  const std::string line = between(message, "CSV Error on Line: ", "\n"), file = between(message, "\n  file = ", "\n");
  if (line.empty()) return explain_sql_error(message);
  const std::string where = fmt::format("{}, line {}", file.empty() ? source : file, line);
  if (const std::string bad = between(message, "Could not convert string \"", "\" to '");
      message.find("Could not convert string") != std::string::npos) {
    const std::string column = column_name(between(message, "Error when converting column \"", "\""), names);
    return fmt::format(
        "{}: '{}' in column '{}' is not a number, as the values before it are; correct it, leave it empty "
        "if it is missing, or read the column as labels: --type '{}=categorical'",
        where, bad, column, column);
  }
  if (const std::string expected = between(message, "Expected Number of Columns: ", " "); !expected.empty()) {
    const std::string found = between(message, " Found: ", "\n");
    return fmt::format("{} has {} where the header has {}; every row needs the same number", where,
                       found == "1" ? "1 field" : found + " fields", expected);
  }
  if (message.find("unterminated quote") != std::string::npos)
    return fmt::format("{}: a quote is opened and never closed", where);
  if (message.find("nicode") != std::string::npos || message.find("utf-8") != std::string::npos)
    return fmt::format("{} is not UTF-8 text; convert the file, for example: iconv -f LATIN1 -t UTF-8", where);
  const std::size_t original = message.find("Original Line:");
  const std::size_t said = original == std::string::npos ? 0 : message.find('\n', original);
  return fmt::format("{}: {}", where, message.substr(said + 1, message.find("\nPossible") - said - 1));
}

std::string explain_sql_error(const std::string& message) {
  // The first line names the trouble; what follows is advice for people who type SQL, or settings.
  std::string text = message.substr(0, message.find("\n\n"));
  for (const char* settings : {"\nPossible fixes", "\n  file =", "\nLINE "}) text = text.substr(0, text.find(settings));
  return text;
}

}  // namespace macmi::data
