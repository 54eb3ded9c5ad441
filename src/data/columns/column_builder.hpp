#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/table.hpp"

namespace macmi::data {

/// Grows one column of a table, value by value or in runs.
class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, bool text);
  void add(double value) { column_.values.push_back(value); }
  void add(const double* values, std::size_t count) {
    column_.values.insert(column_.values.end(), values, values + count);
  }
  void add(std::string_view label);
  void add_missing();
  TableColumn finish();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  TableColumn column_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
};

}  // namespace macmi::data
