#include "data/tables/csv_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "data/columns/number_text.hpp"
#include "data/files.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

constexpr std::size_t look_at_bytes = std::size_t{1} << 20;
constexpr std::size_t look_at_records = 5000;

using Records = std::vector<std::vector<std::string>>;

/// The separator that gives the header the most fields; among equals, one that the next records agree with.
char find_delimiter(std::string_view text, bool whole) {
  char best = ',';
  std::pair<std::size_t, std::size_t> best_score{0, 0};
  for (const char candidate : {',', ';', '\t', '|'}) {
    const Records records = split_csv(text, candidate, whole, 50);
    if (records.empty()) continue;
    const std::size_t width = records[0].size();
    const auto agreeing = static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [&](const auto& r) { return r.size() == width; }));
    // A separator that splits the header but no record (a comma inside a name) loses to one that splits both.
    const std::pair<std::size_t, std::size_t> score{width == 1 ? 0 : agreeing, width};
    if (score > best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

bool is_one_of(const std::string& field, const std::vector<std::string>& texts) {
  return std::find(texts.begin(), texts.end(), field) != texts.end();
}

bool all_numbers(const std::vector<std::string>& record, const std::vector<std::string>& missing) {
  return std::all_of(record.begin(), record.end(), [&](const std::string& field) {
    return is_one_of(field, missing) || parse_number_text(field).has_value();
  });
}

/// Per column, the word for "no value" that more than half of the records have.
std::vector<std::string> frequent_words(const Records& records, std::size_t first, std::size_t columns,
                                        const std::vector<std::string>& missing) {
  std::vector<std::string> result(columns);
  for (std::size_t c = 0; c < columns; ++c)
    for (const std::string& word : missing) {
      const auto count = std::count_if(records.begin() + static_cast<std::ptrdiff_t>(first), records.end(),
                                       [&](const auto& record) { return c < record.size() && record[c] == word; });
      if (!word.empty() && 2 * static_cast<std::size_t>(count) > records.size() - first) result[c] = word;
    }
  return result;
}

/// "1,5" in a file separated by semicolons: the comma is the decimal separator when no field has a point.
char find_decimal(const Records& records) {
  bool commas = false;
  for (std::size_t r = 1; r < records.size(); ++r)
    for (const std::string& field : records[r]) {
      if (field.find('.') != std::string::npos && parse_number_text(field)) return '.';
      commas |= std::count(field.begin(), field.end(), ',') == 1 && parse_number_text(field, ',').has_value();
    }
  return commas ? ',' : '.';
}

std::vector<std::string> header_names(const std::string& path, const std::vector<std::string>& header) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (header[c].empty() && c + 1 == header.size() && header.size() > 1)
      throw InputError(fmt::format(
          "{}: the header ends with a separator, so the last column has no name; name it or remove the separator",
          path));
    const auto [earlier, added] = seen.emplace(header[c], c);
    if (!added)
      throw InputError(fmt::format("{}: two columns are named '{}' (columns {} and {}); rename one of them", path,
                                   header[c], earlier->second + 1, c + 1));
  }
  std::vector<std::string> names = header;
  // Tables written with row names (R, pandas) leave their header empty.
  for (std::size_t c = 0; c < names.size(); ++c)
    if (names[c].empty()) names[c] = fmt::format("column{}", c + 1);
  return names;
}

}  // namespace

std::vector<std::vector<std::string>> split_csv(std::string_view text, char delimiter, bool whole, std::size_t limit) {
  Records records;
  std::vector<std::string> record;
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto end_field = [&] {
    record.push_back(std::move(field));
    field.clear();
    was_quoted = false;
  };
  const auto end_record = [&] {
    end_field();
    if (record.size() > 1 || !record[0].empty()) records.push_back(std::move(record));  // blank lines do not count
    record.clear();
  };
  for (std::size_t i = 0; i < text.size() && records.size() < limit; ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        field += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (c == '"' && field.empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (c == delimiter) {
      end_field();
    } else if (c == '\n' || c == '\r') {
      if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      end_record();
    } else {
      field += c;
    }
  }
  if (whole && !quoted && records.size() < limit && (!field.empty() || !record.empty())) end_record();
  return records;
}

CsvDialect detect_csv_dialect(const std::string& path, const std::vector<std::string>& missing) {
  const FileHead head = read_head(path, look_at_bytes);
  std::string_view text = head.bytes;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  CsvDialect dialect;
  dialect.delimiter = find_delimiter(text, head.whole);
  const Records records = split_csv(text, dialect.delimiter, head.whole, look_at_records);
  if (records.empty())
    throw InputError(
        head.whole ? fmt::format("{}: no header and no rows; is a quote never closed?", path)
                   : fmt::format("{}: the first record does not end within 1 MB; is a quote never closed?", path));
  dialect.header = !all_numbers(records[0], missing);
  if (dialect.header) {
    dialect.names = header_names(path, records[0]);
    if (records.size() < 2) throw InputError(fmt::format("{}: a header and no rows", path));
  } else {
    for (std::size_t c = 0; c < records[0].size(); ++c) dialect.names.push_back(fmt::format("c{}", c));
  }
  if (dialect.delimiter == ';') dialect.decimal = find_decimal(records);
  dialect.numbers_seen.resize(dialect.names.size());
  dialect.text_seen.resize(dialect.names.size());
  for (std::size_t r = dialect.header ? 1 : 0; r < records.size(); ++r)
    for (std::size_t c = 0; c < std::min(records[r].size(), dialect.names.size()); ++c) {
      const std::string& field = records[r][c];
      if (is_one_of(field, missing)) continue;
      const bool number = parse_number_text(field, dialect.decimal) && !is_padded_code(field);
      (number ? dialect.numbers_seen : dialect.text_seen)[c] = true;
    }
  dialect.mostly_missing = frequent_words(records, dialect.header ? 1 : 0, dialect.names.size(), missing);
  return dialect;
}

}  // namespace macmi::data
