#pragma once
#include <string>
#include <vector>

#include "data/files.hpp"
#include "data/table.hpp"
#include "data/tables/csv_dialect.hpp"
#include "data/tables/duckdb_connection.hpp"

namespace macmi::data {

/// A column of an SQL relation and the expression that gives it, as DOUBLE or as VARCHAR.
struct SqlColumn {
  ColumnInfo info;
  std::string expression;
  bool text = false;
};

/// CSV files with the same columns, understood one by one (their separators and the order of columns may differ).
class CsvFiles {
 public:
  /// Throws InputError when a file cannot be understood or has other columns than the first.
  explicit CsvFiles(std::vector<DataFile> files);
  const std::vector<std::string>& names() const { return dialects_[0].names; }
  bool is_text(std::size_t column) const { return text_[column]; }
  bool has_header() const { return dialects_[0].header; }
  /// Sentences about columns of text that are mostly a word for "no value".
  std::vector<std::string> remarks() const;
  /// The rows of all files, columns named k0, k1, …: DOUBLE, or VARCHAR where `text`.
  std::string relation(const std::vector<bool>& text) const;

 private:
  std::vector<DataFile> files_;
  std::vector<CsvDialect> dialects_;
  std::vector<bool> text_;
};

/// read_parquet(…) or read_json(…) over the files; checks that every file has the columns of the first.
std::string relation_of(const std::vector<DataFile>& files, DuckdbConnection& connection);

/// The columns of a relation: numbers as DOUBLE, lists of numbers of one length as a column per element, other plain
/// types as text. Nested columns are left out with a remark.
std::vector<SqlColumn> describe_relation(const std::string& relation, DuckdbConnection& connection,
                                         std::vector<std::string>& remarks);

}  // namespace macmi::data
