#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "data/columns/number_text.hpp"

namespace macmi::data {

/// How one CSV file is written, found from its first megabyte. Our own look instead of a reader's guess: a guess that
/// fails on a ragged row takes the whole file for one column of text.
struct CsvDialect {
  char delimiter = ',';
  char decimal = '.';
  bool header = true;
  std::vector<std::string> names;  ///< as written in the header, or c0, c1, … without one
  std::vector<bool> numbers_seen;  ///< per column: a field looked at is a number
  std::vector<bool> text_seen;     ///< per column: a field looked at is a padded code, or neither number nor missing
  /// Per column: the word for "no value" (not the empty one) that more than half of the fields looked at have; else
  /// empty.
  std::vector<std::string> mostly_missing;
};

/// Throws InputError: no columns, duplicated or empty names, a field never closed.
CsvDialect detect_csv_dialect(const std::string& path, const std::vector<std::string>& missing = missing_texts());

/// The records of a text, quotes undone (RFC 4180). A record cut off by the end of the text is left out unless `whole`.
std::vector<std::vector<std::string>> split_csv(std::string_view text, char delimiter, bool whole, std::size_t limit);

}  // namespace macmi::data
