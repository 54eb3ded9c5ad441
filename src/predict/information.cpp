#include "predict/information.hpp"

#include <cmath>
#include <map>

namespace macmi::predict {
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

PredictiveInformation::PredictiveInformation(const Variable& target, std::uint64_t seed,
                                             const std::vector<std::int32_t>& units)
    : target_(target), parts_(Parts::draw(target.samples(), parts_of_samples, classes_of(target), units, seed)) {}

void PredictiveInformation::choose_scales(const Variable& features) {
  const std::size_t n = target_.samples();
  double highest = -INFINITY;
  for (const ColumnScale y : {ColumnScale::as_given, ColumnScale::normal_scores}) {
    if (y == ColumnScale::normal_scores && target_.numeric().empty()) continue;
    const std::vector<double> alone = total(predicted({}, {y, ColumnScale::as_given}), n);
    for (const ColumnScale x : {ColumnScale::as_given, ColumnScale::normal_scores}) {
      const double gain = mean_difference(total(predicted(features, {y, x}), n), alone).nats;
      if (!(gain > highest)) continue;
      highest = gain;
      scales_ = {y, x};
    }
  }
}

std::vector<PredictedColumn> PredictiveInformation::predicted(const Variable& features, const Scales& scales) const {
  // Columns of the target by the chain rule: each given those before it.
  Design design = make_design(features, scales.features);
  design.samples = target_.samples();
  std::vector<PredictedColumn> all;
  for (const TargetColumn& column : target_columns(target_, scales.target)) {
    all.push_back(predict::predict(column, design, parts_, always_sparse_));
    if (column.classes == 0) {
      design.columns.push_back(column.values);
      design.indicator.push_back(false);
    } else {
      design = joined(design, make_design(Variable::categories(column.codes), scales.features));
    }
  }
  return all;
}

PredictiveInformation::Prediction PredictiveInformation::predict(const Variable& features) const {
  std::vector<PredictedColumn> columns = predicted(features, scales_);
  Prediction prediction{total(columns, target_.samples()), {}};
  if (columns.size() == 1) prediction.score = std::move(columns.front().score);
  return prediction;
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

}  // namespace macmi::predict
