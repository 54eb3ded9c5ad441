#include "citest/null/residual_correlation.hpp"

#include <algorithm>

namespace macmi {
namespace {

/// A score is taken as it is: it weighs samples by what they tell.
std::vector<double> unit_remainder(const Block& block, std::span<const double> score, const ZRegression& z) {
  const auto& category = block.category;
  Eigen::VectorXd left = z.remainder(
      score.empty() ? normal_scores(block.columns.empty() ? std::vector<double>(category.begin(), category.end())
                                                          : block.columns[0])
                    : Eigen::Map<const Eigen::VectorXd>(score.data(), static_cast<Eigen::Index>(score.size())));
  left.normalize();  // leaves zeros alone
  return {left.begin(), left.end()};
}

}  // namespace

bool ResidualCorrelation::fits(const Block& block) {
  if (block.category.empty()) return block.columns.size() == 1;
  return block.columns.empty() && *std::max_element(block.category.begin(), block.category.end()) <= 1;
}

ResidualCorrelation::ResidualCorrelation(const JointSample& sample, const ZRegression& z,
                                         std::span<const double> x_score, std::span<const double> y_score)
    : x_(sample.n), y_(sample.n) {
  if ((x_score.empty() && !fits(sample.x)) || (y_score.empty() && !fits(sample.y))) return;
  x_ = unit_remainder(sample.x, x_score, z);
  y_ = unit_remainder(sample.y, y_score, z);
}

double ResidualCorrelation::of(std::span<const std::uint32_t> source) const {
  double sum = 0;
  for (std::size_t i = 0; i < source.size(); ++i) sum += x_[source[i]] * y_[i];
  return sum;
}

}  // namespace macmi
