#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::data {

/// One column as read: numbers, or text as category codes. No type is inferred yet.
struct TableColumn {
  std::string name;
  std::vector<double> values;       ///< empty for text; NaN where missing
  std::vector<std::int32_t> codes;  ///< text: code c stands for labels[c]; -1 where missing
  std::vector<std::string> labels;  ///< in order of first appearance
  std::vector<std::uint8_t>
      missing;  ///< 1 where there is no value (a NaN that was written is not "no value"); may be empty
  bool text = false;

  bool is_text() const { return text; }
  std::size_t missing_count() const;
};

/// A rectangle of samples (rows) and named columns, from files.
struct Table {
  std::string source;
  std::size_t rows = 0;
  std::vector<TableColumn> columns;
};

/// A column before its values are read. Columns that come as a block (a list in a Parquet column, an
/// array of two or more dimensions) name the feature they belong to and their place in it.
struct ColumnInfo {
  std::string name;
  std::string feature;  ///< empty: the column stands for itself
  std::size_t step = 0;
  std::size_t channel = 0;
};

/// The part of a table that is wanted: columns by index, in this order.
struct ReadRequest {
  std::vector<std::size_t> columns;
  std::vector<bool> as_text;  ///< per column of `columns`: read as text whatever it looks like; may be empty
  std::vector<bool> keep;     ///< per row of the files; empty: every row
};

/// A table that can be read in parts: the names first, then the columns and rows that are wanted and no others.
class TableReader {
 public:
  virtual ~TableReader() = default;
  const std::string& source() const { return source_; }
  const std::vector<ColumnInfo>& columns() const { return columns_; }
  /// For the user: how the files were understood.
  const std::vector<std::string>& remarks() const { return remarks_; }
  virtual Table read(const ReadRequest& request) const = 0;

 protected:
  std::string source_;
  std::vector<ColumnInfo> columns_;
  std::vector<std::string> remarks_;
};

/// Opens files (paths or globs; CSV, Parquet, JSON lines, .npy, .npz) or, with `query`, the result of an SQL query in
/// which `data` is the table of the files. Tables of one kind are stacked, arrays put side by side. `na` says which
/// texts are missing values in CSV (missing_texts). Throws InputError.
std::unique_ptr<TableReader> open_table(const std::vector<std::string>& files, const std::string& query = {},
                                        std::uint64_t threads = 0, const std::vector<std::string>& na = {});

}  // namespace macmi::data
