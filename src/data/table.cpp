#include "data/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "base/suggest.hpp"
#include "data/npy.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

/// The fields of one CSV record; quoted fields may hold commas, line ends and doubled quotes. False at the end.
bool next_record(const std::string& text, std::size_t& at, std::vector<std::string>& fields) {
  fields.clear();
  if (at >= text.size()) return false;
  std::string field;
  for (bool quoted = false;; ++at) {
    const bool end = at >= text.size();
    const char c = end ? '\n' : text[at];
    if (quoted && !end) {
      if (c != '"') {
        field += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      fields.push_back(std::move(field));
      field.clear();
      if (c == '\n') {
        ++at;
        return true;
      }
    } else if (c != '\r') {
      field += c;
    }
  }
}

bool to_number(const std::string& field, double& value) {
  const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && rest == field.data() + field.size();
}

/// Numbers where every field is one, categories otherwise.
TableColumn make_column(const std::string& name, const std::vector<std::string>& fields) {
  TableColumn column{name, {}, {}, {}};
  column.values.resize(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (to_number(fields[i], column.values[i])) continue;
    column.values.clear();
    std::map<std::string, std::int32_t> code;
    for (const std::string& field : fields) {
      const auto [entry, added] = code.emplace(field, static_cast<std::int32_t>(code.size()));
      if (added) column.labels.push_back(field);
      column.codes.push_back(entry->second);
    }
    break;
  }
  return column;
}

Table read_csv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (!file || !(content << file.rdbuf()))
    throw InputError(fmt::format("{}: cannot be read, or is empty; give a CSV file with a header row", path));
  const std::string text = content.str();
  std::size_t at = 0;
  std::vector<std::string> names, fields;
  next_record(text, at, names);
  std::vector<std::vector<std::string>> cells(names.size());
  for (std::size_t row = 2; next_record(text, at, fields); ++row) {
    if (fields.size() != names.size())
      throw InputError(
          fmt::format("{}: row {} has {} fields where the header has {}", path, row, fields.size(), names.size()));
    for (std::size_t c = 0; c < fields.size(); ++c) cells[c].push_back(std::move(fields[c]));
  }
  Table table{path, cells[0].size(), {}};
  if (table.rows == 0) throw InputError(fmt::format("{}: has a header and no rows", path));
  for (std::size_t c = 0; c < names.size(); ++c) table.columns.push_back(make_column(names[c], cells[c]));
  return table;
}

}  // namespace

Table read_table(const std::string& path) {
  if (!path.ends_with(".npy")) return read_csv(path);
  const NpyArray array = read_npy(path);
  if (array.shape.empty() || array.shape.size() > 2)
    throw InputError(fmt::format("{}: an array of {} dimensions is not a table", path, array.shape.size()));
  const std::size_t width = array.shape.size() == 2 ? array.shape[1] : 1;
  Table table{path, array.shape[0], {}};
  for (std::size_t c = 0; c < width; ++c) {
    TableColumn column{fmt::format("c{}", c), {}, {}, {}};
    for (std::size_t i = 0; i < table.rows; ++i) column.values.push_back(array.values[i * width + c]);
    table.columns.push_back(std::move(column));
  }
  return table;
}

Variable select_columns(const Table& table, const std::vector<std::string>& names) {
  Variable variable;
  for (const std::string& name : names) {
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(), [&](const TableColumn& c) { return c.name == name; });
    if (column == table.columns.end()) {
      std::vector<std::string> known;
      for (const TableColumn& c : table.columns) known.push_back(c.name);
      throw InputError(fmt::format("{}: there is no column '{}'{}", table.source, name, did_you_mean(name, known)));
    }
    if (column->is_text()) {
      variable.add(CategoricalColumn{column->codes.data(), 1, name}, table.rows);
    } else {
      variable.add(NumericColumn{column->values.data(), 1, name}, table.rows);
    }
  }
  return variable;
}

}  // namespace macmi
