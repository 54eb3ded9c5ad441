#include "data/tables/sql_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "macmi/error.hpp"

namespace macmi::data {
namespace {

struct Described {
  std::string name, type;
};

std::vector<Described> describe(const std::string& relation, DuckdbConnection& connection) {
  std::vector<Described> columns;
  connection.run(fmt::format("DESCRIBE SELECT * FROM {}", relation), [&](const ResultChunk& chunk) {
    for (std::size_t r = 0; r < chunk.rows(); ++r)
      columns.push_back({std::string(chunk.column(0).text(r)), std::string(chunk.column(1).text(r))});
  });
  return columns;
}

bool is_number_type(std::string_view type) {
  static constexpr std::array<std::string_view, 12> names = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT",
                                                             "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
                                                             "HUGEINT",  "UHUGEINT",  "FLOAT",    "DOUBLE"};
  return type.starts_with("DECIMAL(") || std::find(names.begin(), names.end(), type) != names.end();
}

/// For "DOUBLE[]" and "FLOAT[8]": the type of the elements; empty for anything else.
std::string element_type(const std::string& type) {
  return type.ends_with(']') ? type.substr(0, type.rfind('[')) : std::string();
}

/// The one length of the lists of a column; nulls do not count. Throws when they differ.
std::size_t list_length(const std::string& relation, const Described& column, DuckdbConnection& connection) {
  double shortest = 0, longest = 0;
  const std::string length = fmt::format("len({})", sql_name(column.name));
  connection.run(
      fmt::format("SELECT CAST(coalesce(min({0}), 0) AS DOUBLE), CAST(coalesce(max({0}), 0) AS DOUBLE) FROM {1}",
                  length, relation),
      [&](const ResultChunk& chunk) {
        shortest = chunk.column(0).numbers()[0];
        longest = chunk.column(1).numbers()[0];
      });
  if (shortest != longest)
    throw InputError(fmt::format("column '{}' holds lists of {} to {} numbers: make them all of one length",
                                 column.name, shortest, longest));
  return static_cast<std::size_t>(longest);
}

void expect_same_columns(const std::vector<Described>& first, const std::vector<Described>& other,
                         const DataFile& first_file, const DataFile& file) {
  const auto require = [](const std::vector<Described>& has, const std::vector<Described>& wanted,
                          const DataFile& without, const DataFile& with) {
    for (const Described& column : wanted)
      if (std::none_of(has.begin(), has.end(), [&](const Described& d) { return d.name == column.name; }))
        throw InputError(
            fmt::format("{} has no column '{}', which {} has; read files of one layout, or join them with "
                        "--query",
                        without.path, column.name, with.path));
  };
  require(other, first, file, first_file);
  require(first, other, first_file, file);
}

std::string reader_call(const std::vector<DataFile>& files) {
  std::vector<std::string> paths;
  for (const DataFile& file : files) {
    std::string path;
    for (const char c : file.path)
      path += c == '*' || c == '?' || c == '[' ? fmt::format("[{}]", c) : std::string(1, c);
    paths.push_back(sql_string(path));
  }
  return files[0].kind == FileKind::parquet
             ? fmt::format("read_parquet([{}], union_by_name=true, hive_partitioning=false)", fmt::join(paths, ", "))
             : fmt::format("read_json([{}], union_by_name=true, hive_partitioning=false)", fmt::join(paths, ", "));
}

}  // namespace

std::string relation_of(const std::vector<DataFile>& files, DuckdbConnection& connection) {
  if (files.size() > 1) {
    const std::vector<Described> first = describe(reader_call({files[0]}), connection);
    for (std::size_t f = 1; f < files.size(); ++f)
      expect_same_columns(first, describe(reader_call({files[f]}), connection), files[0], files[f]);
  }
  return reader_call(files);
}

std::vector<SqlColumn> describe_relation(const std::string& relation, DuckdbConnection& connection,
                                         std::vector<std::string>& remarks) {
  std::vector<SqlColumn> columns;
  for (const Described& column : describe(relation, connection)) {
    const std::string name = sql_name(column.name), element = element_type(column.type);
    if (is_number_type(column.type)) {
      columns.push_back({{column.name, {}, 0, 0}, fmt::format("CAST({} AS DOUBLE)", name), false});
    } else if (is_number_type(element)) {
      const std::size_t length = list_length(relation, column, connection);
      for (std::size_t e = 0; e < length; ++e)
        columns.push_back({{fmt::format("{}_{}", column.name, e), column.name, 0, e},
                           fmt::format("CAST({}[{}] AS DOUBLE)", name, e + 1),
                           false});
    } else if (!element.empty() || column.type.starts_with("STRUCT") || column.type.starts_with("MAP")) {
      remarks.push_back(fmt::format("column '{}' is nested ({}) and left out; take it apart with --query", column.name,
                                    column.type.substr(0, 40)));
    } else {
      columns.push_back({{column.name, {}, 0, 0}, fmt::format("CAST({} AS VARCHAR)", name), true});
    }
  }
  return columns;
}

}  // namespace macmi::data
