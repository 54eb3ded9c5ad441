#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"

namespace macmi::data {

/// The variables x, y and z of one test or estimate: features of a data set, or single columns of them, by their names,
/// on the samples that have a value in all of them. A series is the vector of its steps. Owns its samples.
class NamedVariables {
 public:
  using Names = std::vector<std::string>;
  /// Throws InputError with the nearest name where there is no such feature or column, and where no sample is left.
  NamedVariables(const Dataset& data, const Names& x, const Names& y, const Names& z);
  const Variable& x() const { return x_->variable(); }
  const Variable& y() const { return y_->variable(); }
  const Variable& z() const { return z_->variable(); }
  /// The unit of each sample and whether the samples are one series, as in TestContext.
  const std::vector<std::int32_t>& units() const { return units_; }
  bool one_series() const { return one_series_; }
  /// A sentence about samples that were left out; empty where all were used.
  const std::string& remark() const { return remark_; }

 private:
  std::optional<RowCopy> x_, y_, z_;
  std::vector<std::int32_t> units_;
  bool one_series_ = false;
  std::string remark_;
};

}  // namespace macmi::data
