#include "predict/information.hpp"

#include <cmath>
#include <map>

namespace macmi {
namespace {

constexpr std::size_t parts_of_samples = 5;

std::vector<std::int32_t> classes_of(const Variable& target) {
  std::vector<std::int32_t> codes;
  if (target.categorical().empty()) return codes;
  for (std::size_t i = 0; i < target.samples(); ++i) codes.push_back(target.categorical().front()[i]);
  return codes;
}

std::vector<double> total(const std::vector<PredictedColumn>& columns, std::size_t n) {
  std::vector<double> sum(n);
  for (const PredictedColumn& column : columns)
    for (std::size_t i = 0; i < n; ++i) sum[i] += column.log_density[i];
  return sum;
}

}  // namespace

PredictiveInformation::PredictiveInformation(const Variable& target, const Variable& reference, std::uint64_t seed,
                                             const std::vector<std::int32_t>& units)
    : target_(target), parts_(Parts::draw(target.samples(), parts_of_samples, classes_of(target), units, seed)) {
  const std::size_t n = target.samples();
  double highest = -INFINITY;
  for (const ColumnScale y : {ColumnScale::as_given, ColumnScale::normal_scores}) {
    if (y == ColumnScale::normal_scores && target.numeric().empty()) continue;
    const std::vector<double> alone = total(predicted({}, y, ColumnScale::as_given), n);
    for (const ColumnScale x : {ColumnScale::as_given, ColumnScale::normal_scores}) {
      const double gain = mean_difference(total(predicted(reference, y, x), n), alone).nats;
      if (!(gain > highest)) continue;
      highest = gain;
      target_scale_ = y, feature_scale_ = x;
    }
  }
}

std::vector<PredictedColumn> PredictiveInformation::predicted(const Variable& features, ColumnScale of_target,
                                                              ColumnScale of_features) const {
  // Columns of the target by the chain rule: each given those before it.
  Design design = make_design(features, of_features);
  design.samples = target_.samples();
  std::vector<PredictedColumn> all;
  for (const TargetColumn& column : target_columns(target_, of_target)) {
    all.push_back(predict(column, design, parts_));
    if (column.classes == 0) {
      design.columns.push_back(column.values);
      design.indicator.push_back(false);
    } else {
      design = joined(design, make_design(Variable::categories(column.codes), of_features));
    }
  }
  return all;
}

std::vector<double> PredictiveInformation::log_density(const Variable& features) const {
  return total(predicted(features, target_scale_, feature_scale_), target_.samples());
}

std::vector<double> PredictiveInformation::score(const Variable& features) const {
  const std::vector<PredictedColumn> columns = predicted(features, target_scale_, feature_scale_);
  return columns.size() == 1 ? columns.front().score : std::vector<double>();
}

Information mean_difference(const std::vector<double>& more, const std::vector<double>& fewer,
                            const std::vector<std::int32_t>& units) {
  std::map<std::int32_t, double> by_unit;
  const auto n = static_cast<double>(more.size());
  double sum = 0;
  for (std::size_t i = 0; i < more.size(); ++i) sum += more[i] - fewer[i];
  const double mean = sum / n;
  for (std::size_t i = 0; i < more.size(); ++i)
    by_unit[units.empty() ? static_cast<std::int32_t>(i) : units[i]] += more[i] - fewer[i] - mean;
  double squares = 0;
  for (const auto& [unit, deviation] : by_unit) squares += deviation * deviation;
  return {mean, std::sqrt(squares) / n};
}

}  // namespace macmi
