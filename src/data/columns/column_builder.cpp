#include "data/columns/column_builder.hpp"

#include <cmath>
#include <limits>

namespace macmi::data {

ColumnBuilder::ColumnBuilder(std::string name, bool text) {
  column_.name = std::move(name);
  column_.text = text;
}

void ColumnBuilder::add(std::string_view label) {
  if (!column_.codes.empty() && column_.codes.back() >= 0 && column_.labels[column_.codes.back()] == label)
    return column_.codes.push_back(column_.codes.back());  // runs of one label are common
  auto code = codes_.find(label);
  if (code == codes_.end()) {
    code = codes_.emplace(label, static_cast<std::int32_t>(column_.labels.size())).first;
    column_.labels.emplace_back(label);
  }
  column_.codes.push_back(code->second);
}

void ColumnBuilder::add_missing() {
  const std::size_t at = column_.text ? column_.codes.size() : column_.values.size();
  column_.missing.resize(at);
  column_.missing.push_back(1);
  if (column_.text)
    column_.codes.push_back(-1);
  else
    column_.values.push_back(std::numeric_limits<double>::quiet_NaN());
}

TableColumn ColumnBuilder::finish() {
  if (!column_.missing.empty()) column_.missing.resize(column_.text ? column_.codes.size() : column_.values.size());
  return std::move(column_);
}

}  // namespace macmi::data
