#include "citest/remainders/z_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.hpp"
#include "base/vector/elementary.hpp"
#include "citest/permutation/z_regression.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A remainder of a column of length 1 counts as rounding below this.
constexpr double nothing_left = 1e-6;
constexpr std::size_t least_samples_of_level = 5, most_levels = 32, few_levels = 4;
/// Normal scores of the quantiles .1, .3, .5, .7 and .9.
constexpr double knots[] = {-1.2816, -0.5244, 0, 0.5244, 1.2816};
/// Waves over the scores from -reach to reach: the j-th has j half periods.
constexpr int waves = 16;
constexpr double reach = 3.2, half_turn = 3.14159265358979323846;
/// Numbers that all terms together may take up: 64 MB.
constexpr std::size_t most_numbers = std::size_t{1} << 23;
/// A term must explain so many times what one of noise would. A few terms too many do little harm; what several terms
/// too few leave in both remainders adds up.
constexpr double least_gain = 4;
constexpr std::size_t most_chosen = 40, samples_per_term = 20;

void centre_and_scale(VectorXd& column) {
  column.array() -= column.mean();
  const double length = column.norm();
  if (length > 0) column /= length;
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

/// cos(j a), j = 1, 2, …, by cos(j a) = 2 cos(a) cos((j - 1) a) - cos((j - 2) a), of the angle a that a score stands
/// for.
void add_waves(const VectorXd& score, std::vector<VectorXd>& terms) {
  VectorXd before = VectorXd::Ones(score.size()), wave(score.size());
  for (Index i = 0; i < score.size(); ++i)
    wave[i] = base::exact_cos(half_turn * std::clamp((score[i] + reach) / (2 * reach), 0.0, 1.0));
  const Eigen::ArrayXd twice_first = 2 * wave.array();
  for (int j = 1; j <= waves; ++j) {
    terms.push_back(wave);
    VectorXd next = (twice_first * wave.array() - before.array()).matrix();
    before = std::exchange(wave, std::move(next));
  }
}

void add_curves(const VectorXd& score, std::vector<VectorXd>& terms) {
  terms.push_back(score.array().square().matrix());
  terms.push_back(score.array().cube().matrix());
  for (const double knot : knots) terms.push_back((score.array() - knot).max(0.0).matrix());
  add_waves(score, terms);
}

}  // namespace

MatrixXd extended(const MatrixXd& basis, const std::vector<VectorXd>& columns) {
  MatrixXd wider(basis.rows(), basis.cols() + static_cast<Index>(columns.size()));
  wider.leftCols(basis.cols()) = basis;
  Index rank = basis.cols();
  for (VectorXd column : columns) {
    centre_and_scale(column);
    for (int pass = 0; pass < 2; ++pass)
      column -= wider.leftCols(rank) * (wider.leftCols(rank).transpose() * column).eval();
    const double length = column.norm();
    if (length > nothing_left) wider.col(rank++) = column / length;
  }
  wider.conservativeResize(basis.rows(), rank);
  return wider;
}

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
  base_ = extended(MatrixXd(static_cast<Index>(n), 0), columns);
  weights_.resize(static_cast<Index>(n), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) weights_.col(static_cast<Index>(c)) = columns[c];
  for (const VectorXd& number : numbers) add_curves(number, terms);
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
  products_made_ = std::deque<std::once_flag>(static_cast<std::size_t>(kept));
  products_.resize(kept, kept);
}

Eigen::Ref<const VectorXd> ZTerms::products_with(Index t) const {
  std::call_once(products_made_[static_cast<std::size_t>(t)],
                 [&] { products_.col(t).noalias() = terms_.transpose() * terms_.col(t); });
  return products_.col(t);
}

// The q_k are the chosen terms made orthonormal in their order. What is kept of them are their products with all terms,
// along: q_{k+1} is (t - Σ_k q_k (q_k · t)) / length, t the chosen term, so that its products are those of t less the
// same sum, and no step looks at the samples.
std::vector<std::size_t> ZTerms::chosen_for(const VectorXd& column) const {
  const auto n = static_cast<std::size_t>(terms_.rows());
  VectorXd left = column;
  centre_and_scale(left);
  left -= base_ * (base_.transpose() * left).eval();
  double rest = left.squaredNorm();
  VectorXd explains = terms_.transpose() * left;
  MatrixXd along(terms_.cols(), static_cast<Index>(std::min(most_chosen, n / samples_per_term)));
  std::vector<std::size_t> chosen;
  for (Index step = 0; step < along.cols() && terms_.cols() > 0; ++step) {
    Index best = 0;
    explains.cwiseAbs().maxCoeff(&best);
    const VectorXd taken = along.row(best).head(step);
    const double length = std::sqrt(std::max(0.0, 1 - taken.squaredNorm()));
    const double freedom = static_cast<double>(terms_.rows() - base_.cols() - step - 2);
    if (!(length > 1e-3) || freedom < 1) break;
    const double explained = explains[best] / length, gain = explained * explained;
    if (!(gain * freedom > least_gain * (rest - gain))) break;
    along.col(step) = (products_with(best) - along.leftCols(step) * taken) / length;
    explains -= explained * along.col(step);
    rest -= gain;
    chosen.push_back(static_cast<std::size_t>(best));
  }
  return chosen;
}

MatrixXd ZTerms::basis(const std::vector<std::size_t>& terms) const {
  return basis(base_, terms);
}

MatrixXd ZTerms::basis(const MatrixXd& of_some, const std::vector<std::size_t>& more) const {
  std::vector<VectorXd> columns;
  for (const std::size_t t : more) columns.push_back(terms_.col(static_cast<Index>(t)));
  return extended(of_some, columns);
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
