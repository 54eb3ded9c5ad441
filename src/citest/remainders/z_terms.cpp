#include "citest/remainders/z_terms.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "citest/permutation/z_regression.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What is left of a column of length 1 counts as rounding below this.
constexpr double nothing_left = 1e-6;
constexpr std::size_t least_samples_of_level = 5, most_levels = 32, few_levels = 4;
/// Normal scores of the quantiles .1, .3, .5, .7 and .9.
constexpr double knots[] = {-1.2816, -0.5244, 0, 0.5244, 1.2816};
/// Numbers that all terms together may take up: 64 MB.
constexpr std::size_t most_numbers = std::size_t{1} << 23;
/// A term must explain so many times what one of noise would.
constexpr double least_gain = 6;
constexpr std::size_t most_chosen = 40, samples_per_term = 20;

void centre_and_scale(VectorXd& column) {
  column.array() -= column.mean();
  const double length = column.norm();
  if (length > 0) column /= length;
}

/// Columns of length 1 and mean 0 made orthogonal one after the other; those that follow from others are dropped.
MatrixXd orthonormal(const std::vector<VectorXd>& columns, Index n) {
  MatrixXd basis(n, static_cast<Index>(columns.size()));
  Index rank = 0;
  for (VectorXd column : columns) {
    centre_and_scale(column);
    for (int pass = 0; pass < 2; ++pass)
      column -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * column).eval();
    const double length = column.norm();
    if (length > nothing_left) basis.col(rank++) = column / length;
  }
  basis.conservativeResize(n, rank);
  return basis;
}

std::vector<VectorXd> level_columns(const CategoricalColumn& column, std::size_t n) {
  std::map<std::int32_t, std::size_t> counts;
  for (std::size_t i = 0; i < n; ++i) ++counts[column[i]];
  std::vector<std::pair<std::size_t, std::int32_t>> frequent;
  for (const auto& [label, count] : counts) frequent.emplace_back(count, label);
  std::stable_sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<VectorXd> columns;
  for (std::size_t level = 1; level < std::min(frequent.size(), most_levels + 1); ++level) {
    if (frequent[level].first < least_samples_of_level && level > 1) break;
    VectorXd& indicator = columns.emplace_back(static_cast<Index>(n));
    for (std::size_t i = 0; i < n; ++i) indicator[static_cast<Index>(i)] = column[i] == frequent[level].second ? 1 : 0;
  }
  return columns;
}

VectorXd scores_of(const NumericColumn& column, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(column[i]);
  return normal_scores(values);
}

std::vector<VectorXd> curves(const VectorXd& score) {
  std::vector<VectorXd> terms{score.array().square().matrix(), score.array().cube().matrix()};
  for (const double knot : knots) terms.push_back((score.array() - knot).max(0.0).matrix());
  return terms;
}

}  // namespace

std::vector<VectorXd> regression_columns(const Variable& v) {
  std::vector<VectorXd> columns;
  for (const NumericColumn& column : v.numeric()) columns.push_back(scores_of(column, v.samples()));
  for (const CategoricalColumn& column : v.categorical())
    for (VectorXd& level : level_columns(column, v.samples())) columns.push_back(std::move(level));
  return columns;
}

ZTerms::ZTerms(const Variable& z) {
  const std::size_t n = z.samples();
  std::vector<VectorXd> numbers, columns, few, terms;
  for (const NumericColumn& column : z.numeric()) columns.push_back(numbers.emplace_back(scores_of(column, n)));
  for (const CategoricalColumn& column : z.categorical()) {
    std::vector<VectorXd> levels = level_columns(column, n);
    columns.insert(columns.end(), levels.begin(), levels.end());
    if (levels.size() < few_levels) few.insert(few.end(), levels.begin(), levels.end());
  }
  columns.resize(std::min(columns.size(), n / 3));
  base_ = orthonormal(columns, static_cast<Index>(n));
  weights_.resize(static_cast<Index>(n), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) weights_.col(static_cast<Index>(c)) = columns[c];
  for (const VectorXd& number : numbers)
    for (VectorXd& curve : curves(number)) terms.push_back(std::move(curve));
  const std::size_t products = numbers.size() * (numbers.size() - 1) / 2 + numbers.size() * few.size();
  if ((terms.size() + products) * n <= most_numbers)
    for (std::size_t a = 0; a < numbers.size(); ++a) {
      for (std::size_t b = a + 1; b < numbers.size(); ++b) terms.push_back(numbers[a].cwiseProduct(numbers[b]));
      for (const VectorXd& level : few) terms.push_back(numbers[a].cwiseProduct(level));
    }
  terms_.resize(static_cast<Index>(n), static_cast<Index>(terms.size()));
  Index kept = 0;
  for (VectorXd& term : terms) {
    centre_and_scale(term);
    term -= base_ * (base_.transpose() * term).eval();
    const double length = term.norm();
    if (length > nothing_left) terms_.col(kept++) = term / length;
  }
  terms_.conservativeResize(static_cast<Index>(n), kept);
}

std::vector<std::size_t> ZTerms::chosen_for(const VectorXd& column) const {
  const Index n = terms_.rows();
  VectorXd left = column;
  centre_and_scale(left);
  left -= base_ * (base_.transpose() * left).eval();
  std::vector<std::size_t> chosen;
  MatrixXd taken(n, static_cast<Index>(std::min(most_chosen, static_cast<std::size_t>(n) / samples_per_term)));
  for (Index step = 0; step < taken.cols() && terms_.cols() > 0; ++step) {
    const VectorXd explains = terms_.transpose() * left;
    Index best = 0;
    explains.cwiseAbs().maxCoeff(&best);
    VectorXd direction = terms_.col(best);
    direction -= taken.leftCols(step) * (taken.leftCols(step).transpose() * direction).eval();
    const double length = direction.norm(), freedom = static_cast<double>(n - base_.cols() - step - 2);
    if (!(length > 1e-3) || freedom < 1) break;
    direction /= length;
    const double gain = std::pow(direction.dot(left), 2), rest = left.squaredNorm() - gain;
    if (!(gain * freedom > least_gain * rest)) break;
    left -= direction * direction.dot(left);
    taken.col(step) = direction;
    chosen.push_back(static_cast<std::size_t>(best));
  }
  return chosen;
}

MatrixXd ZTerms::basis(const std::vector<std::size_t>& terms) const {
  MatrixXd basis(base_.rows(), base_.cols() + static_cast<Index>(terms.size()));
  basis.leftCols(base_.cols()) = base_;
  Index rank = base_.cols();
  for (const std::size_t t : terms) {
    VectorXd term = terms_.col(static_cast<Index>(t));
    for (int pass = 0; pass < 2; ++pass)
      term -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * term).eval();
    const double length = term.norm();
    if (length > nothing_left) basis.col(rank++) = term / length;
  }
  basis.conservativeResize(base_.rows(), rank);
  return basis;
}

std::string content_key(const Variable& v) {
  base::StreamKey numbers(v.samples()), again(~v.samples());
  const auto add = [&](std::uint64_t word) {
    numbers = numbers.with(word);
    again = again.with(word ^ 0x5bd1e995u);
  };
  for (const NumericColumn& column : v.numeric())
    for (std::size_t i = 0; i < v.samples(); ++i) add(std::bit_cast<std::uint64_t>(column[i]));
  for (const CategoricalColumn& column : v.categorical())
    for (std::size_t i = 0; i < v.samples(); ++i) add(static_cast<std::uint64_t>(column[i]));
  return fmt::format("{} {} {:016x}{:016x}", v.numeric().size(), v.categorical().size(), numbers.value(),
                     again.value());
}

}  // namespace macmi::citest
