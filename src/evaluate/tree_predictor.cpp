#include "evaluate/tree_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "predict/cross_fit.hpp"
#include "predict/design.hpp"

namespace macmi::evaluate {
namespace {

constexpr std::size_t inner_parts = 5;

using Rows = std::vector<std::uint32_t>;

/// Training samples first, then the test samples: predictors see them in this order.
struct Ordered {
  explicit Ordered(const maps::PredictorRows& rows) : all(rows.train) {
    all.insert(all.end(), rows.test.begin(), rows.test.end());
    train.resize(rows.train.size());
    std::iota(train.begin(), train.end(), 0u);
  }
  std::vector<std::size_t> all;
  Rows train;
};

/// Scores of all samples by a predictor that learned from the training samples, and scores of these by predictors that
/// have not seen them.
struct Fitted {
  std::vector<double> all, inside;
};

Fitted fit(const predict::Loss& train_loss, const predict::Loss& loss, const predict::Design& train_design,
           const predict::Design& design, const Rows& train, const predict::Parts& parts) {
  predict::CrossFit chosen = predict::cross_fit(train_loss, train_design, parts);
  return {predict::fit_on(loss, design, train, chosen.choice), std::move(chosen.scores)};
}

predict::Design first(const predict::Design& design, std::size_t samples) {
  predict::Design part = design;
  part.samples = samples;
  for (std::vector<double>& column : part.columns) column.resize(samples);
  return part;
}

double log_normal(double value, double mean, double variance) {
  return -(std::log(2 * M_PI * variance) + (value - mean) * (value - mean) / variance) / 2;
}

}  // namespace

maps::Predicted fit_trees(const Dataset& data, std::span<const std::size_t> features, const maps::PredictorRows& rows,
                          std::uint64_t seed) {
  const Ordered order(rows);
  const std::size_t n = order.all.size(), trained = order.train.size();
  std::vector<RowCopy> copies;
  copies.reserve(features.size());
  Variable joined;
  for (const std::size_t f : features) joined.add(copies.emplace_back(view(data.features[f]), order.all).variable());
  predict::Design design = predict::make_design(joined, predict::ColumnScale::normal_scores);
  design.samples = n;
  const predict::Design train_design = first(design, trained);
  std::vector<std::int32_t> units;
  std::map<std::string, std::int32_t> number;
  if (!data.units.empty())
    for (std::size_t r = 0; r < trained; ++r)
      units.push_back(
          number.try_emplace(data.units[rows.train[r]], static_cast<std::int32_t>(number.size())).first->second);

  maps::Predicted predicted;
  const DataColumn& target = data.target.columns.front();
  if (data.target_is_categorical()) {
    std::vector<std::int32_t> codes;
    for (const std::size_t i : order.all) codes.push_back(target.codes[i]);
    const std::vector<std::int32_t> train_codes(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(trained));
    const predict::Loss loss = predict::Loss::classes(codes, 2), train_loss = predict::Loss::classes(train_codes, 2);
    const predict::Parts parts = predict::Parts::draw(trained, inner_parts, train_codes, units, seed);
    const Fitted fitted = fit(train_loss, loss, train_design, design, order.train, parts);
    const std::vector<double> constant = loss.constant(order.train);
    for (std::size_t i = trained; i < n; ++i) {
      predicted.score.push_back(fitted.all[i]);
      predicted.gain.push_back(loss.value(i, constant.data()) - loss.value(i, &fitted.all[i]));
    }
    return predicted;
  }
  std::vector<double> values;
  for (const std::size_t i : order.all) values.push_back(target.values[i]);
  const std::vector<double> train_values(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(trained));
  const predict::Loss loss = predict::Loss::squares(values), train_loss = predict::Loss::squares(train_values);
  const predict::Parts parts = predict::Parts::draw(trained, inner_parts, {}, units, seed);
  const Fitted fitted = fit(train_loss, loss, train_design, design, order.train, parts);
  const double mean = loss.constant(order.train).front();
  double variance = 0, left = 0;
  for (std::size_t i = 0; i < trained; ++i)
    variance += std::pow(values[i] - mean, 2), left += std::pow(values[i] - fitted.inside[i], 2);
  variance = std::max(variance / static_cast<double>(trained), 1e-300);
  left = std::max(left / static_cast<double>(trained), 1e-300);
  for (std::size_t i = trained; i < n; ++i) {
    predicted.score.push_back(fitted.all[i]);
    predicted.gain.push_back(log_normal(values[i], fitted.all[i], left) - log_normal(values[i], mean, variance));
  }
  return predicted;
}

}  // namespace macmi::evaluate
