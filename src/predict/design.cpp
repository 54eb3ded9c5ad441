#include "predict/design.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "citest/permutation/z_regression.hpp"

namespace macmi::predict {
namespace {

constexpr double furthest = 5;            // standard deviations
constexpr std::size_t most_levels = 16;   // of one category; rarer ones are told by the absence of all
constexpr std::size_t least_samples = 5;  // of a category with a column of its own

/// To mean 0 and standard deviation 1; false for a constant.
bool standardise(std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (double& v : values) v -= mean, squares += v * v;
  if (!(squares > 0) || !std::isfinite(squares)) return false;
  const double scale = std::sqrt(n / squares);
  for (double& v : values) v *= scale;
  return true;
}

/// Missing values become the mean of the others, and a column of its own tells where they were.
void add_missing(std::vector<double>& values, Design& design) {
  std::vector<double> missing(values.size());
  double sum = 0, present = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    missing[i] = std::isnan(values[i]) ? 1 : 0;
    if (!std::isnan(values[i])) sum += values[i], ++present;
  }
  if (present == static_cast<double>(values.size())) return;
  for (double& v : values)
    if (std::isnan(v)) v = present > 0 ? sum / present : 0;
  if (!standardise(missing)) return;
  design.columns.push_back(std::move(missing));
  design.indicator.push_back(true);
}

void add_number(const NumericColumn& column, std::size_t n, ColumnScale scale, Design& design) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = column[i];
  add_missing(values, design);
  if (scale == ColumnScale::normal_scores) {
    const Eigen::VectorXd scores = citest::normal_scores(values);
    values.assign(scores.data(), scores.data() + scores.size());
  }
  if (!standardise(values)) return;
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::abs(v) > furthest; })) {
    for (double& v : values) v = std::clamp(v, -furthest, furthest);
    standardise(values);
  }
  design.columns.push_back(std::move(values));
  design.indicator.push_back(false);
}

void add_category(const CategoricalColumn& column, std::size_t n, Design& design) {
  std::map<std::int32_t, std::size_t> count;
  for (std::size_t i = 0; i < n; ++i) ++count[column[i]];
  std::vector<std::pair<std::size_t, std::int32_t>> order;
  for (const auto& [code, samples] : count)
    if (samples >= least_samples) order.emplace_back(samples, code);
  // The most frequent one is told by the absence of the others.
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t first = order.size() == count.size() ? 1 : 0;
  for (std::size_t level = first; level < std::min(order.size(), most_levels + first); ++level) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = column[i] == order[level].second ? 1 : 0;
    if (!standardise(values)) continue;
    design.columns.push_back(std::move(values));
    design.indicator.push_back(true);
  }
}

}  // namespace

bool Design::saturated(bool products) const {
  const bool categories = std::find(indicator.begin(), indicator.end(), false) == indicator.end();
  return categories && sources <= (products ? 2 : 1);
}

Design make_design(const Variable& variable, ColumnScale scale) {
  Design design;
  design.samples = variable.samples();
  for (const NumericColumn& column : variable.numeric()) add_number(column, design.samples, scale, design);
  for (const CategoricalColumn& column : variable.categorical()) add_category(column, design.samples, design);
  design.sources = variable.numeric().size() + variable.categorical().size();
  return design;
}

Design joined(const Design& first, const Design& second) {
  Design both = first;
  both.samples = std::max(first.samples, second.samples);
  both.columns.insert(both.columns.end(), second.columns.begin(), second.columns.end());
  both.sources += second.sources;
  both.indicator.insert(both.indicator.end(), second.indicator.begin(), second.indicator.end());
  return both;
}

}  // namespace macmi::predict
