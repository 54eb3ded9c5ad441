#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace macmi {

/// n numbers at a fixed stride in memory that somebody else owns (a column of a row-major array has stride d).
struct NumericColumn {
  const double* data = nullptr;
  std::ptrdiff_t stride = 1;
  std::string name;
  double operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};

/// n category codes; only equality matters.
struct CategoricalColumn {
  const std::int32_t* data = nullptr;
  std::ptrdiff_t stride = 1;
  std::string name;
  std::int32_t operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
};

/// A random variable of any dimension, as n samples of a block of numeric and categorical columns.
/// A view: the samples must outlive it. A Variable with no columns is "nothing" (an empty conditioning set).
class Variable {
 public:
  Variable() = default;
  Variable(std::span<const double> column, std::string name = {});              // NOLINT(google-explicit-constructor)
  Variable(const std::vector<double>& column) : Variable(std::span(column)) {}  // NOLINT(google-explicit-constructor)

  /// n × d numbers, row after row.
  static Variable rows(std::span<const double> values, std::size_t dimensions, std::string name = {});
  static Variable categories(std::span<const std::int32_t> codes, std::string name = {});

  Variable& add(NumericColumn column, std::size_t n);
  Variable& add(CategoricalColumn column, std::size_t n);
  /// The block of this variable's columns followed by the other's.
  Variable& add(const Variable& other);

  std::size_t samples() const { return samples_; }
  bool empty() const { return numeric_.empty() && categorical_.empty(); }
  const std::vector<NumericColumn>& numeric() const { return numeric_; }
  const std::vector<CategoricalColumn>& categorical() const { return categorical_; }

 private:
  void expect_samples(std::size_t n, const std::string& name);
  std::size_t samples_ = 0;
  std::vector<NumericColumn> numeric_;
  std::vector<CategoricalColumn> categorical_;
};

}  // namespace macmi
