#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/columns/number_text.hpp"
#include "data/tables/sql_files.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

/// DuckDB expands globs in the paths it is given; ours are meant literally.
std::string literal_path(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[')
      escaped += fmt::format("[{}]", c);
    else
      escaped += c;
  }
  return sql_string(escaped);
}

bool is_gzipped(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  const int first = std::fgetc(file), second = std::fgetc(file);
  std::fclose(file);
  return first == 0x1f && second == 0x8b;
}

/// Where each column of the first file is in this one. Throws when the two do not have the same columns.
std::vector<std::size_t> places(const CsvDialect& first, const CsvDialect& other, const std::string& first_path,
                                const std::string& path) {
  std::vector<std::size_t> result;
  for (const std::string& name : first.names) {
    const auto at = std::find(other.names.begin(), other.names.end(), name);
    if (at == other.names.end())
      throw InputError(
          fmt::format("{} has no column '{}', which {} has; read files of one layout, or join them with "
                      "--query and read_csv(…, union_by_name=true)",
                      path, name, first_path));
    result.push_back(static_cast<std::size_t>(at - other.names.begin()));
  }
  if (other.names.size() > first.names.size()) {
    const auto extra = std::find_if(other.names.begin(), other.names.end(), [&](const std::string& name) {
      return std::find(first.names.begin(), first.names.end(), name) == first.names.end();
    });
    throw InputError(
        fmt::format("{} has a column '{}', which {} does not have; read files of one layout, or join them "
                    "with --query and read_csv(…, union_by_name=true)",
                    path, *extra, first_path));
  }
  return result;
}

/// read_csv with everything said, so that nothing is guessed. `text` is in this file's order of columns.
std::string read_csv(const std::string& paths, const CsvDialect& dialect, bool gzipped, const std::vector<bool>& text,
                     const std::vector<std::string>& missing) {
  std::vector<std::string> columns, nulls;
  for (std::size_t c = 0; c < text.size(); ++c)
    columns.push_back(fmt::format("'k{}': '{}'", c, text[c] ? "VARCHAR" : "DOUBLE"));
  for (const std::string& word : missing) nulls.push_back(sql_string(word));
  return fmt::format(
      "read_csv([{}], auto_detect=false, delim={}, quote='\"', escape='\"', header={}, "
      "decimal_separator='{}', compression='{}', columns={{{}}}, nullstr=[{}])",
      paths, sql_string(std::string(1, dialect.delimiter)), dialect.header, dialect.decimal, gzipped ? "gzip" : "none",
      fmt::join(columns, ", "), fmt::join(nulls, ", "));
}

}  // namespace

CsvFiles::CsvFiles(std::vector<DataFile> files) : files_(std::move(files)) {
  for (const DataFile& file : files_) dialects_.push_back(detect_csv_dialect(file.path, file.missing));
  std::vector<bool> numbers(names().size()), words(names().size());
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const std::vector<std::size_t> place = places(dialects_[0], dialects_[f], files_[0].path, files_[f].path);
    for (std::size_t c = 0; c < place.size(); ++c) {
      numbers[c] = numbers[c] || dialects_[f].numbers_seen[place[c]];
      words[c] = words[c] || dialects_[f].text_seen[place[c]];
    }
  }
  // A column with no value so far is read as text, which becomes numbers later if it turns out to be all numbers.
  for (std::size_t c = 0; c < numbers.size(); ++c) text_.push_back(words[c] || !numbers[c]);
}

std::vector<std::string> CsvFiles::remarks() const {
  std::vector<std::string> result;
  for (std::size_t c = 0; c < text_.size(); ++c)
    if (const std::string& word = dialects_[0].mostly_missing[c]; text_[c] && !word.empty())
      result.push_back(
          fmt::format("column '{}' is mostly '{}', which counts as missing; if it is a label like any other, --na none "
                      "reads it so",
                      names()[c], word));
  return result;
}

std::string CsvFiles::relation(const std::vector<bool>& text) const {
  const CsvDialect& first = dialects_[0];
  const bool gzipped = is_gzipped(files_[0].path);
  bool uniform = true;
  for (std::size_t f = 1; f < files_.size(); ++f)
    uniform = uniform && dialects_[f].names == first.names && dialects_[f].delimiter == first.delimiter &&
              dialects_[f].decimal == first.decimal && is_gzipped(files_[f].path) == gzipped;
  if (uniform) {
    std::vector<std::string> paths;
    for (const DataFile& file : files_) paths.push_back(literal_path(file.path));
    return read_csv(fmt::format("{}", fmt::join(paths, ", ")), first, gzipped, text, files_[0].missing);
  }
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const std::vector<std::size_t> place = places(first, dialects_[f], files_[0].path, files_[f].path);
    std::vector<bool> text_here(place.size());
    std::vector<std::string> select;
    for (std::size_t c = 0; c < place.size(); ++c) {
      text_here[place[c]] = text[c];
      select.push_back(fmt::format("k{} AS k{}", place[c], c));
    }
    parts.push_back(fmt::format("SELECT {} FROM {}", fmt::join(select, ", "),
                                read_csv(literal_path(files_[f].path), dialects_[f], is_gzipped(files_[f].path),
                                         text_here, files_[f].missing)));
  }
  return fmt::format("({})", fmt::join(parts, " UNION ALL "));
}

}  // namespace macmi::data
