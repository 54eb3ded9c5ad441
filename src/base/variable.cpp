#include "macmi/variable.hpp"

#include <fmt/format.h>

#include "base/number_of.hpp"
#include "macmi/error.hpp"

namespace macmi {

Variable::Variable(std::span<const double> column, std::string name) {
  add(NumericColumn{column.data(), 1, std::move(name)}, column.size());
}

Variable Variable::rows(std::span<const double> values, std::size_t dimensions, std::string name) {
  if (dimensions == 0 || values.size() % dimensions != 0)
    throw InputError(fmt::format("{} values do not make rows of {} numbers", values.size(), dimensions));
  Variable v;
  for (std::size_t d = 0; d < dimensions; ++d)
    v.add(NumericColumn{values.data() + d, static_cast<std::ptrdiff_t>(dimensions), fmt::format("{}_{}", name, d)},
          values.size() / dimensions);
  return v;
}

Variable Variable::categories(std::span<const std::int32_t> codes, std::string name) {
  Variable v;
  v.add(CategoricalColumn{codes.data(), 1, std::move(name)}, codes.size());
  return v;
}

Variable& Variable::add(NumericColumn column, std::size_t n) {
  expect_samples(n, column.name);
  numeric_.push_back(std::move(column));
  return *this;
}

Variable& Variable::add(CategoricalColumn column, std::size_t n) {
  expect_samples(n, column.name);
  categorical_.push_back(std::move(column));
  return *this;
}

Variable& Variable::add(const Variable& other) {
  for (const auto& column : other.numeric_) add(column, other.samples_);
  for (const auto& column : other.categorical_) add(column, other.samples_);
  return *this;
}

void Variable::expect_samples(std::size_t n, const std::string& name) {
  if (!empty() && n != samples_)
    throw InputError(fmt::format("column '{}' has {} where the columns before it have {}", name,
                                 base::number_of(n, "sample"), samples_));
  samples_ = n;
}

}  // namespace macmi
