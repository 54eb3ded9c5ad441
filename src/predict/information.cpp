#include "predict/information.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.hpp"

namespace macmi::predict {
namespace {

constexpr std::size_t parts_of_samples = 5;

std::vector<std::int32_t> classes_of(const Variable& target) {
  std::vector<std::int32_t> codes;
  if (target.categorical().empty()) return codes;
  for (std::size_t i = 0; i < target.samples(); ++i) codes.push_back(target.categorical().front()[i]);
  return codes;
}

}  // namespace

PredictiveInformation::PredictiveInformation(const Variable& target, std::uint64_t seed,
                                             const std::vector<std::int32_t>& units)
    : target_(target), parts_(Parts::draw(target.samples(), parts_of_samples, classes_of(target), units, seed)) {}

PredictiveInformation::Prediction PredictiveInformation::choose_scales(const Variable& features, std::size_t threads) {
  std::vector<Scales> tried;
  for (const ColumnScale y : {ColumnScale::as_given, ColumnScale::normal_scores})
    for (const ColumnScale x : {ColumnScale::as_given, ColumnScale::normal_scores}) {
      const bool other_y = y == ColumnScale::normal_scores, other_x = x == ColumnScale::normal_scores;
      if ((other_y && target_.numeric().empty()) || (other_x && features.numeric().empty())) continue;
      tried.push_back({y, x});
    }
  std::vector<Prediction> found(tried.size());
  std::vector<double> gain(tried.size());
  base::parallel_for(tried.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      found[t] = predict(features, tried[t]);
      gain[t] = mean_difference(found[t].log_density, predict({}, tried[t]).log_density).nats;
    }
  });
  const auto best = static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
  scales_ = tried[best];
  return std::move(found[best]);
}

PredictiveInformation::Prediction PredictiveInformation::predict(const Variable& features) const {
  return predict(features, scales_);
}

PredictiveInformation::Prediction PredictiveInformation::predict(const Variable& features, const Scales& scales) const {
  // Columns of the target by the chain rule: each given those before it.
  Design design = make_design(features, scales.features);
  design.samples = target_.samples();
  Prediction prediction{std::vector<double>(target_.samples()), {}};
  const std::vector<TargetColumn> columns = target_columns(target_, scales.target);
  for (const TargetColumn& column : columns) {
    PredictedColumn predicted = predict::predict(column, design, parts_, always_sparse_);
    for (std::size_t i = 0; i < design.samples; ++i) prediction.log_density[i] += predicted.log_density[i];
    if (columns.size() == 1) prediction.score = std::move(predicted.score);
    if (column.classes == 0) {
      design.columns.push_back(column.values);
      design.indicator.push_back(false);
    } else {
      design = joined(design, make_design(Variable::categories(column.codes), scales.features));
    }
  }
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
