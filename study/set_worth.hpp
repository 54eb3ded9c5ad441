#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "evaluate/tree_predictor.hpp"
#include "macmi/select.hpp"
#include "predict/design.hpp"
#include "predict/loss.hpp"
#include "predict/tree_boosting.hpp"

namespace macmi::study {

/// The worth of sets of features: nats per sample by which a predictor that learned from the first samples predicts
/// the others better than the best constant (evaluate::fit_trees).
struct SetWorth {
  double selected = 0, all = 0, truth = 0, information = 0, importance = 0;
  static constexpr double SetWorth::*parts[] = {&SetWorth::selected, &SetWorth::all, &SetWorth::truth,
                                                &SetWorth::information, &SetWorth::importance};

  std::string text() const { return fmt::format("{} {} {} {} {}", selected, all, truth, information, importance); }
  static SetWorth read(const std::string& text) {
    SetWorth w;
    std::istringstream in(text);
    for (double SetWorth::*part : parts) in >> w.*part;
    return w;
  }
};

using Features = std::vector<std::size_t>;

/// The `count` features with the largest scores, the first of equals.
inline Features largest(const std::vector<double>& scores, std::size_t count) {
  Features order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min(count, order.size()));
  return order;
}

/// The gain of 100 boosted trees on the first `trained` samples by each feature: its importance.
inline std::vector<double> importance(const Dataset& data, std::size_t trained) {
  constexpr std::size_t trees = 100;
  constexpr double rate = 0.1;
  predict::Design design;
  Features feature_of;
  for (std::size_t f = 0; f < data.features.size(); ++f) {
    const predict::Design own = predict::make_design(view(data.features[f]), predict::ColumnScale::normal_scores);
    feature_of.insert(feature_of.end(), own.columns.size(), f);
    design = f == 0 ? own : predict::joined(design, own);
  }
  design.samples = data.samples();
  const DataColumn& target = data.target.columns.front();
  const bool classes = data.target_is_categorical();
  const predict::Loss loss = classes ? predict::Loss::classes(target.codes, 2) : predict::Loss::squares(target.values);
  std::vector<std::uint32_t> rows(trained);
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<double> scores(data.samples(), loss.constant(rows).front()), downhill(data.samples()),
      curvature(data.samples()), of_column(design.columns.size()), of_feature(data.features.size());
  const predict::BinnedColumns binned(design);
  for (std::size_t t = 0; t < trees; ++t) {
    for (const std::uint32_t i : rows) loss.steps(i, &scores[i], &downhill[i], &curvature[i]);
    const predict::StepTree tree(binned, rows, downhill, curvature);
    tree.add_gains(of_column);
    for (const std::uint32_t i : rows) scores[i] += rate * tree.step(binned, i);
  }
  for (std::size_t c = 0; c < of_column.size(); ++c) of_feature[feature_of[c]] += of_column[c];
  return of_feature;
}

inline double worth(const Dataset& data, const Features& features, std::size_t trained) {
  if (features.empty()) return 0;
  maps::PredictorRows rows;
  for (std::size_t i = 0; i < data.samples(); ++i) (i < trained ? rows.train : rows.test).push_back(i);
  const std::vector<double> gain = evaluate::fit_trees(data, features, rows, 1).gain;
  return std::accumulate(gain.begin(), gain.end(), 0.0) / static_cast<double>(gain.size());
}

/// True where the predictors can predict the target: a number, or two classes.
inline bool predictable(const Dataset& data) {
  const DataColumn& target = data.target.columns.front();
  return !data.target_is_categorical() || std::set(target.codes.begin(), target.codes.end()).size() == 2;
}

/// `data` holds the `trained` samples that the selection saw, and others after them.
inline SetWorth worth_of(const Selection& selection, const std::vector<std::string>& truth, const Dataset& data,
                         std::size_t trained) {
  std::vector<double> information(data.features.size(), 0.0);
  Features all(data.features.size()), selected, blanket;
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t f : all) {
    const std::string& name = data.features[f].name;
    if (std::count(selection.blanket.members.begin(), selection.blanket.members.end(), name)) selected.push_back(f);
    if (std::count(truth.begin(), truth.end(), name)) blanket.push_back(f);
    for (const FeatureVerdict& verdict : selection.blanket.features)
      if (verdict.name == name && verdict.marginal) information[f] = verdict.marginal->effect;
  }
  const std::size_t size = selected.size();
  return {worth(data, selected, trained), worth(data, all, trained), worth(data, blanket, trained),
          worth(data, largest(information, size), trained),
          worth(data, largest(importance(data, trained), size), trained)};
}

}  // namespace macmi::study
