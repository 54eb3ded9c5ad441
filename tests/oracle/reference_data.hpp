#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "data/columns/column_types.hpp"
#include "data/table.hpp"
#include "oracle/folder.hpp"

namespace macmi::oracle {

inline std::string path(const std::string& name) {
  return folder() + "/reference/" + name;
}

/// One line of values.csv: what another tool gives on one of the fixed data sets.
struct ReferenceValue {
  std::string data, tool, transform;
  std::size_t k;
  double value;
};

inline std::vector<ReferenceValue> reference_values() {
  std::vector<ReferenceValue> values;
  std::ifstream file(path("values.csv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    ReferenceValue v;
    std::string k, value;
    std::getline(fields, v.data, ',');
    std::getline(fields, v.tool, ',');
    std::getline(fields, v.transform, ',');
    std::getline(fields, k, ',');
    std::getline(fields, value, ',');
    v.k = std::stoul(k);
    v.value = std::stod(value);
    values.push_back(v);
  }
  return values;
}

/// Columns x, y and every column whose name starts with z.
struct ReferenceData {
  explicit ReferenceData(const std::string& name) : table(read(path(name + "_n1000.csv"))) {
    for (const data::TableColumn& column : table.columns) {
      Variable* variable = column.name == "x" ? &x : column.name == "y" ? &y : column.name[0] == 'z' ? &z : nullptr;
      if (variable == nullptr) continue;
      if (column.is_text())
        variable->add(CategoricalColumn{column.codes.data(), 1, column.name}, table.rows);
      else
        variable->add(NumericColumn{column.values.data(), 1, column.name}, table.rows);
    }
  }
  /// Columns as they are, without the types of a data set: numbers stay numbers.
  static data::Table read(const std::string& file) {
    const std::unique_ptr<data::TableReader> reader = data::open_table({file});
    data::ReadRequest everything;
    for (std::size_t c = 0; c < reader->columns().size(); ++c) everything.columns.push_back(c);
    data::Table read = reader->read(everything);
    for (data::TableColumn& column : read.columns) data::settle_text(column);
    return read;
  }
  data::Table table;
  Variable x, y, z;
};

/// Columns whose values are all small whole numbers, as categories.
class AsCategories {
 public:
  explicit AsCategories(const Variable& variable) {
    for (const NumericColumn& column : variable.numeric()) {
      bool discrete = true;
      for (std::size_t i = 0; i < variable.samples(); ++i)
        discrete &= column[i] >= 0 && column[i] < 100 && column[i] == static_cast<double>(static_cast<int>(column[i]));
      if (!discrete) {
        view.add(column, variable.samples());
        continue;
      }
      codes_.emplace_back(variable.samples());
      for (std::size_t i = 0; i < variable.samples(); ++i) codes_.back()[i] = static_cast<std::int32_t>(column[i]);
      view.add(CategoricalColumn{codes_.back().data(), 1, column.name}, variable.samples());
    }
  }
  AsCategories(const AsCategories&) = delete;
  AsCategories& operator=(const AsCategories&) = delete;
  Variable view;

 private:
  std::vector<std::vector<std::int32_t>> codes_;
};

}  // namespace macmi::oracle
