#include "citest/residual_correlation.hpp"

#include <algorithm>

namespace macmi {
namespace {

bool single(const Block& block) {
  if (block.category.empty()) return block.columns.size() == 1;
  return block.columns.empty() && *std::max_element(block.category.begin(), block.category.end()) <= 1;
}

std::vector<double> unit_remainder(const Block& block, const ZRegression& z) {
  const auto& category = block.category;
  Eigen::VectorXd left = z.remainder(
      normal_scores(block.columns.empty() ? std::vector<double>(category.begin(), category.end()) : block.columns[0]));
  left.normalize();  // leaves zeros alone
  return {left.begin(), left.end()};
}

}  // namespace

bool ResidualCorrelation::fits(const JointSample& sample) { return single(sample.x) && single(sample.y); }

ResidualCorrelation::ResidualCorrelation(const JointSample& sample, const ZRegression& z) : x_(sample.n), y_(sample.n) {
  if (!fits(sample)) return;
  x_ = unit_remainder(sample.x, z);
  y_ = unit_remainder(sample.y, z);
}

double ResidualCorrelation::of(std::span<const std::uint32_t> source) const {
  double sum = 0;
  for (std::size_t i = 0; i < source.size(); ++i) sum += x_[source[i]] * y_[i];
  return sum;
}

}  // namespace macmi
