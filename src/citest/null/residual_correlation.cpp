#include "citest/null/residual_correlation.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"
#include "base/vector/elementary.hpp"
#include "citest/null/cross_product_kernel.hpp"
#include "citest/null/level_columns.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A remainder of a column after those before it counts as rounding below this share of the column's length.
constexpr double nothing_left = 1e-6;

/// Of several levels; of two, their normal scores are one.
std::vector<VectorXd> level_columns(const std::vector<std::int32_t>& category, std::size_t room) {
  const LevelColumns levels(category, room);
  std::vector<VectorXd> columns(levels.count, VectorXd::Zero(static_cast<Index>(category.size())));
  for (std::size_t i = 0; i < category.size(); ++i)
    if (const std::size_t c = levels.column[static_cast<std::size_t>(category[i])]; c < levels.count)
      columns[c][static_cast<Index>(i)] = 1;
  return columns;
}

bool single_column(const knn::Block& block) {
  if (block.category.empty()) return block.columns.size() <= 1;
  return block.columns.empty() && *std::max_element(block.category.begin(), block.category.end()) <= 1;
}

bool few_numbers(const knn::Block& block, std::size_t n) {
  return block.columns.size() <= most_wide_columns(n);
}

/// The columns that stand for a block. A score is taken as it is: it weighs samples by what they tell.
std::vector<VectorXd> columns_of(const knn::Block& block, std::span<const double> score, std::size_t n) {
  if (!score.empty()) return {Eigen::Map<const VectorXd>(score.data(), static_cast<Index>(score.size()))};
  const auto& category = block.category;
  if (single_column(block) && !category.empty())
    return {normal_scores(std::vector<double>(category.begin(), category.end()))};
  if (!few_numbers(block, n)) return {};
  std::vector<VectorXd> columns;
  for (const auto& column : block.columns) columns.push_back(normal_scores(column));
  if (!category.empty())
    for (VectorXd& column : level_columns(category, most_wide_columns(n) - columns.size()))
      columns.push_back(std::move(column));
  return columns;
}

/// An orthonormal basis of what z leaves of the columns.
MatrixXd left_of(std::vector<VectorXd> columns, const ZRegression& z, std::size_t n) {
  MatrixXd left(static_cast<Index>(n), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    VectorXd rest = z.remainder(std::move(columns[c]));
    rest.normalize();  // leaves zeros alone
    left.col(static_cast<Index>(c)) = rest;
  }
  return left.cols() <= 1 ? left : base::orthonormal_basis(left, nothing_left);
}

}  // namespace

double root_of_trace(double trace) {
  return trace > 0 ? base::exact_exp(base::exact_log(trace) / 3) : 0;
}

WideLook ResidualCorrelation::look(const knn::JointSample& sample, bool scored) {
  if ((!scored && !few_numbers(sample.x, sample.n)) || !few_numbers(sample.y, sample.n)) return WideLook::none;
  return (scored || single_column(sample.x)) && single_column(sample.y) ? WideLook::correlation : WideLook::trace;
}

ResidualCorrelation::ResidualCorrelation(const knn::JointSample& sample, const ZRegression& z, WideLook look,
                                         std::span<const double> x_score, std::span<const double> y_score)
    : look_(look),
      x_(left_of(columns_of(sample.x, x_score, sample.n), z, sample.n)),
      y_(left_of(columns_of(sample.y, y_score, sample.n), z, sample.n)) {}

std::size_t ResidualCorrelation::directions() const {
  return static_cast<std::size_t>(std::min(x_.cols(), y_.cols()));
}

double ResidualCorrelation::of(std::span<const std::uint32_t> source) const {
  const auto p = static_cast<std::size_t>(x_.cols()), q = static_cast<std::size_t>(y_.cols());
  if (look_ == WideLook::correlation && p * q == 1) {
    double sum = 0;
    for (std::size_t i = 0; i < source.size(); ++i) sum += x_.data()[source[i]] * y_.data()[i];
    return sum;
  }
  if (look_ == WideLook::correlation) return 0;  // one side is constant here
  const std::vector<double> products = cross_products({x_.data(), y_.data(), p, q}, source);
  double trace = 0;
  for (const double product : products) trace += product * product;
  return root_of_trace(trace);
}

}  // namespace macmi::citest
