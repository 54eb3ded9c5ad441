#include "select/sufficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "macmi/error.hpp"
#include "predict/information.hpp"
#include "select/measured_effects.hpp"
#include "select/prepared_samples.hpp"

namespace macmi::select {
namespace {

constexpr double sides = 1.959964;  // of a 95% interval, in standard errors
constexpr std::size_t least_samples = 100, most_samples = 10000, most_columns = 3000;
constexpr double most_numbers = 4e6;  // samples times columns
constexpr std::size_t most_next = 3;

/// The share of samples of the other class that each sample is ranked rightly against, ties as halves.
std::vector<double> placements(const std::vector<double>& scores, const std::vector<bool>& positive) {
  const std::size_t n = scores.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  const auto positives = static_cast<double>(std::count(positive.begin(), positive.end(), true));
  const double negatives = static_cast<double>(n) - positives;
  std::vector<double> placement(n);
  double below_positive = 0, below_negative = 0;
  for (std::size_t first = 0, last = 0; first < n; first = last) {
    double tied_positive = 0, tied_negative = 0;
    for (; last < n && scores[order[last]] == scores[order[first]]; ++last)
      ++(positive[order[last]] ? tied_positive : tied_negative);
    for (std::size_t r = first; r < last; ++r)
      placement[order[r]] = positive[order[r]]
                                ? (below_negative + tied_negative / 2) / negatives
                                : (positives - below_positive - tied_positive + tied_positive / 2) / positives;
    below_positive += tied_positive, below_negative += tied_negative;
  }
  return placement;
}

struct Predictions {
  predict::PredictiveInformation::Prediction selected, all;
};

/// Σ over units of the square of the sum of a unit's deviations; without units over samples.
double squared_sums(const std::vector<double>& deviations, const std::vector<std::int32_t>& units) {
  std::map<std::int32_t, double> by_unit;
  for (std::size_t i = 0; i < deviations.size(); ++i)
    by_unit[units.empty() ? static_cast<std::int32_t>(i) : units[i]] += deviations[i];
  double squares = 0;
  for (const auto& [unit, sum] : by_unit) squares += std::pow(sum, 2);
  return squares;
}

void compare_numbers(const std::vector<double>& target, const Predictions& p, const std::vector<std::int32_t>& units,
                     Sufficiency& s) {
  const auto n = static_cast<double>(target.size());
  const double mean = std::accumulate(target.begin(), target.end(), 0.0) / n;
  double variance = 0, of_selected = 0, of_all = 0;
  std::vector<double> differences;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double a = std::pow(target[i] - p.selected.score[i], 2), b = std::pow(target[i] - p.all.score[i], 2);
    variance += std::pow(target[i] - mean, 2), of_selected += a, of_all += b;
    differences.push_back(b - a);
  }
  s.of_selected = 1 - of_selected / variance, s.of_all = 1 - of_all / variance;
  const double centre = std::accumulate(differences.begin(), differences.end(), 0.0) / n;
  for (double& d : differences) d -= centre;
  const double error = std::sqrt(squared_sums(differences, units)) / variance;
  s.low = s.of_selected - s.of_all - sides * error, s.high = s.of_selected - s.of_all + sides * error;
}

void compare_classes(const std::vector<bool>& positive, const Predictions& p, const std::vector<std::int32_t>& units,
                     Sufficiency& s) {
  const ComparedAreas areas = compare_areas(p.selected.score, p.all.score, positive, units);
  s.measure = "AUC";
  s.of_selected = areas.first, s.of_all = areas.second;
  s.low = areas.first - areas.second - sides * areas.error, s.high = areas.first - areas.second + sides * areas.error;
}

/// Features that add something beyond the selected ones, most first.
std::vector<std::string> next_features(const Blanket& blanket) {
  std::vector<const FeatureVerdict*> found;
  for (const FeatureVerdict& f : blanket.features)
    if (f.role == Role::excluded && f.measured && f.measured->effect > 2 * f.measured->effect_error)
      found.push_back(&f);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->measured->effect > b->measured->effect; });
  std::vector<std::string> names;
  for (const FeatureVerdict* f : found)
    if (names.size() < most_next) names.push_back(f->name);
  return names;
}

/// The features' columns on some rows, in the order of their contents.
struct JoinedRows {
  JoinedRows(const PreparedSamples& samples, const std::vector<std::size_t>& rows, std::vector<std::size_t> features) {
    std::sort(features.begin(), features.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(samples.features[a].content, a) < std::pair(samples.features[b].content, b);
    });
    copies.reserve(features.size());
    for (const std::size_t f : features)
      variable.add(copies.emplace_back(samples.features[f].variable, rows).variable());
  }
  std::vector<RowCopy> copies;
  Variable variable;
};

Sufficiency not_measured(std::string why) {
  Sufficiency s;
  s.remark = std::move(why);
  return s;
}

}  // namespace

ComparedAreas compare_areas(const std::vector<double>& first, const std::vector<double>& second,
                            const std::vector<bool>& positive, const std::vector<std::int32_t>& units) {
  const std::vector<double> a = placements(first, positive), b = placements(second, positive);
  ComparedAreas areas;
  double variance = 0;
  std::vector<double> deviations(a.size());
  for (const bool side : {true, false}) {
    double count = 0, sum_a = 0, sum_b = 0, squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (positive[i] == side) ++count, sum_a += a[i], sum_b += b[i];
    for (std::size_t i = 0; i < a.size(); ++i)
      if (positive[i] == side) {
        const double deviation = a[i] - b[i] - (sum_a - sum_b) / count;
        squares += std::pow(deviation, 2), deviations[i] = deviation / count;
      }
    areas.first = sum_a / count, areas.second = sum_b / count;
    variance += squares / std::max(1.0, count - 1) / count;
  }
  areas.error = std::sqrt(units.empty() ? variance : squared_sums(deviations, units));
  return areas;
}

Sufficiency measure_sufficiency(const Dataset& data, const Selection& selection, std::size_t threads,
                                const std::function<bool()>& cancelled) {
  const auto series = [](const Feature& f) { return f.is_series(); };
  if (std::any_of(data.features.begin(), data.features.end(), series))
    return not_measured("not asked of series here; macmi evaluate does, with recurrent networks");
  if (data.target.columns.size() != 1) return not_measured("not asked of a target of several columns");
  const PreparedSamples samples = prepare_samples(data, false, {});
  std::set<std::string> members(selection.blanket.members.begin(), selection.blanket.members.end()), left_out;
  for (const FeatureVerdict& f : selection.blanket.features)
    if (f.reason == Reason::forbidden || f.reason == Reason::copy) left_out.insert(f.name);
  std::vector<std::size_t> chosen, all;
  std::size_t columns = 0;
  for (std::size_t f = 0; f < samples.names.size(); ++f) {
    const std::string& name = samples.names[f];
    if (members.contains(name)) chosen.push_back(f);
    if (!members.contains(name) && (left_out.contains(name) || samples.features[f].constant)) continue;
    all.push_back(f);
    columns += data.features[f].columns.size();
  }
  if (columns > most_columns)
    return not_measured(fmt::format("not asked: all features together have {} columns", columns));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < samples.samples; ++i)
    if (samples.target.complete.empty() || samples.target.complete[i]) rows.push_back(i);
  const double room = most_numbers / static_cast<double>(std::max<std::size_t>(1, columns));
  rows = thinned(std::move(rows), std::clamp(static_cast<std::size_t>(room), std::size_t{1500}, most_samples),
                 selection.seed);
  if (rows.size() < least_samples)
    return not_measured(fmt::format("not asked: too few samples to compare predictors ({})", rows.size()));

  const RowCopy target(samples.target.variable, rows);
  const JoinedRows on_chosen(samples, rows, chosen), on_all(samples, rows, all);
  const std::vector<std::int32_t> units = samples.units_on(rows);
  predict::PredictiveInformation info(target.variable(), selection.seed, units);
  info.try_sparse_always();
  if (cancelled && cancelled()) throw Cancelled();
  Predictions p;
  p.all = info.choose_scales(on_all.variable, threads);  // where all features do best: nothing missing shall be missed
  if (cancelled && cancelled()) throw Cancelled();
  p.selected = info.predict(on_chosen.variable);

  Sufficiency s;
  s.selected = chosen.size(), s.all = all.size(), s.samples = rows.size();
  const predict::Information missing = predict::mean_difference(p.all.log_density, p.selected.log_density, units);
  s.missing_nats = missing.nats, s.missing_nats_error = missing.error;
  s.enough = !(missing.nats > sides * missing.error);
  if (!s.enough) s.next = next_features(selection.blanket);
  const std::vector<predict::TargetColumn> columns_of_target =
      predict::target_columns(target.variable(), info.scales().target);
  const predict::TargetColumn& y = columns_of_target.front();
  if (y.classes == 0) {
    s.measure = info.scales().target == predict::ColumnScale::as_given ? "R²" : "R² of its normal scores";
    compare_numbers(y.values, p, units, s);
  } else if (y.classes == 2) {
    std::vector<bool> positive;
    for (const std::int32_t code : y.codes) positive.push_back(code == 1);
    compare_classes(positive, p, units, s);
  } else {
    const std::vector<double> constant = info.log_density({});
    s.measure = "nats over a constant";
    s.of_selected = predict::mean_difference(p.selected.log_density, constant).nats;
    s.of_all = predict::mean_difference(p.all.log_density, constant).nats;
    s.low = -missing.nats - sides * missing.error, s.high = -missing.nats + sides * missing.error;
  }
  return s;
}

}  // namespace macmi::select
