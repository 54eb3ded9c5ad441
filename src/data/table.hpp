#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi {

/// One column as read. Text columns hold category codes: code c stands for labels[c], labels in order of first
/// appearance.
struct TableColumn {
  std::string name;
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::vector<std::string> labels;
  bool is_text() const { return !labels.empty(); }
};

/// A rectangle of samples (rows) and named columns, from a file.
struct Table {
  std::string source;
  std::size_t rows = 0;
  std::vector<TableColumn> columns;
};

/// Reads numeric or text CSV with a header, or a 1-D or 2-D .npy array (columns c0, c1, …). Throws InputError.
Table read_table(const std::string& path);

/// A view of the named columns as one variable. Throws InputError with the nearest name when one is unknown.
Variable select_columns(const Table& table, const std::vector<std::string>& names);

}  // namespace macmi
