#include "predict/predictive_density.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "predict/residual_density.hpp"

namespace macmi::predict {
namespace {

constexpr std::size_t most_classes = 12, least_of_class = 10;
constexpr double beyond_doubt = 2;  // standard errors

/// Codes 0, 1, …, the most frequent classes by their codes; the others are one more class.
TargetColumn classes_of(const CategoricalColumn& column, std::size_t n) {
  std::map<std::int32_t, std::size_t> count;
  for (std::size_t i = 0; i < n; ++i) ++count[column[i]];
  std::vector<std::pair<std::size_t, std::int32_t>> order;
  for (const auto& [code, samples] : count) order.emplace_back(samples, code);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<std::int32_t, std::int32_t> place;
  std::vector<std::int32_t> kept;
  for (std::size_t c = 0; c < order.size(); ++c)
    if (order.size() <= 2 || (c < most_classes && order[c].first >= least_of_class)) kept.push_back(order[c].second);
  std::sort(kept.begin(), kept.end());
  for (std::size_t c = 0; c < kept.size(); ++c) place[kept[c]] = static_cast<std::int32_t>(c);
  TargetColumn target;
  target.classes = std::max<std::size_t>(2, kept.size() + (kept.size() < order.size()));
  for (std::size_t i = 0; i < n; ++i)
    target.codes.push_back(place.try_emplace(column[i], static_cast<std::int32_t>(kept.size())).first->second);
  return target;
}

/// By how many standard errors the first losses are smaller.
double advantage(const std::vector<double>& first, const std::vector<double>& second) {
  const auto n = static_cast<double>(first.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += second[i] - first[i];
  for (std::size_t i = 0; i < first.size(); ++i) squares += std::pow(second[i] - first[i] - sum / n, 2);
  return squares > 0 ? sum / std::sqrt(squares) : 0;
}

PredictedColumn predict_number(const TargetColumn& target, const Design& design, const Parts& parts,
                               bool always_sparse) {
  const std::size_t n = target.values.size();
  PredictedColumn predicted;
  predicted.score = cross_fit(Loss::squares(target.values), design, parts, always_sparse).scores;
  std::vector<double> residuals(n), squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    residuals[i] = target.values[i] - predicted.score[i];
    squares[i] = residuals[i] * residuals[i];
  }
  std::vector<double> log_deviation(n, 0.0);
  if (!design.columns.empty()) {
    const Loss spread = Loss::log_variance(squares);
    const CrossFit fitted = cross_fit(spread, design, parts, always_sparse),
                   constant = cross_fit(spread, {n, {}, {}}, parts);
    if (!fitted.constant && advantage(fitted.losses, constant.losses) > beyond_doubt)
      for (std::size_t i = 0; i < n; ++i) log_deviation[i] = fitted.scores[i] / 2;
  }
  for (std::size_t i = 0; i < n; ++i) residuals[i] *= std::exp(-log_deviation[i]);
  predicted.log_density = log_densities(residuals);
  for (std::size_t i = 0; i < n; ++i) predicted.log_density[i] -= log_deviation[i];
  return predicted;
}

}  // namespace

std::vector<TargetColumn> target_columns(const Variable& target, ColumnScale scale) {
  std::vector<TargetColumn> columns;
  Variable numbers;
  for (const NumericColumn& column : target.numeric()) numbers.add(column, target.samples());
  for (std::vector<double>& values : make_design(numbers, scale).columns) {
    columns.emplace_back();
    columns.back().values = std::move(values);
  }
  for (const CategoricalColumn& column : target.categorical()) columns.push_back(classes_of(column, target.samples()));
  return columns;
}

PredictedColumn predict(const TargetColumn& target, const Design& design, const Parts& parts, bool always_sparse) {
  if (target.classes == 0) return predict_number(target, design, parts, always_sparse);
  PredictedColumn predicted;
  CrossFit fitted = cross_fit(Loss::classes(target.codes, target.classes), design, parts, always_sparse);
  for (const double loss : fitted.losses) predicted.log_density.push_back(-loss);
  if (target.classes == 2) predicted.score = std::move(fitted.scores);
  return predicted;
}

}  // namespace macmi::predict
