#include "macmi/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "evaluate/metrics.hpp"
#include "learn/masks.hpp"
#include "learn/predictor.hpp"
#include "learn/splits.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

using Names = std::vector<std::string>;

/// What one way of choosing gave, over all parts.
struct Column {
  std::string name;
  std::vector<Names> features;
  std::vector<double> score, gain;  ///< per sample, each by the predictor that had not seen it
};

class Evaluator {
 public:
  Evaluator(const Dataset& data, const Names& selected, const SelectOptions& select, const EvaluateOptions& o,
            const ProgressCallback& on_progress)
      : data_(data),
        selected_(selected),
        select_(select),
        o_(o),
        on_progress_(on_progress),
        part_of_(draw_folds(data, o.parts, select.test.seed)) {}

  Evaluation run() {
    for (std::size_t part = 0; part < o_.parts; ++part) evaluate_part(part);
    Evaluation e;
    e.target = data_.target.name;
    e.two_classes = data_.target_is_categorical();
    e.parts = o_.parts;
    e.samples = data_.samples();
    e.seed = select_.test.seed;
    e.nested = !o_.keep_selection;
    e.notes = notes_;
    for (const Column& column : columns_) e.sets.push_back(summary(column));
    merge_random(e);
    add_differences(e);
    return e;
  }

 private:
  void tell(std::size_t part, const std::string& what) {
    if (on_progress_ &&
        !on_progress_({fmt::format("part {} of {}", part + 1, o_.parts), "predictors", done_, expected(), 0, what}))
      throw Cancelled();
  }
  std::size_t expected() const { return o_.parts * (2 + o_.random_sets + (o_.no_l1 ? 0 : 2)); }

  MapsOptions predictor_options() const {
    MapsOptions maps = maps_options(select_);
    maps.restarts = 1;
    return maps;
  }

  void evaluate_part(std::size_t part) {
    PredictorRows rows;
    for (std::size_t i = 0; i < data_.samples(); ++i)
      (part_of_[i] == static_cast<std::int32_t>(part) ? rows.test : rows.train).push_back(i);
    Names all = data_.feature_names();
    std::sort(all.begin(), all.end());
    tell(part, "selection");
    const Names chosen = o_.keep_selection ? selected_ : selection_on(rows.train);
    if (chosen.empty())
      notes_.push_back(fmt::format("part {}: nothing was selected; the prediction there is a constant", part + 1));
    add(part, "all", all, rows);
    add(part, "selected", chosen, rows);
    if (!o_.no_l1) add_l1(part, chosen.size(), rows);
    for (std::uint64_t r = 0; r < o_.random_sets; ++r)
      add(part, fmt::format("random {}", r + 1), random_set(part, r, chosen.size()), rows);
  }

  Names selection_on(const std::vector<std::size_t>& rows) {
    const Dataset train = take_samples(data_, rows);
    SearchHooks hooks;
    hooks.on_progress = [this](const SearchProgress&) {
      return !on_progress_ || on_progress_({"selection", "predictors", done_, expected(), 0, ""});
    };
    MapsHooks maps_hooks;
    maps_hooks.on_progress = [this](const MapsProgress&) {
      return !on_progress_ || on_progress_({"selection", "predictors", done_, expected(), 0, ""});
    };
    return select_features(train, select_, hooks, maps_hooks).blanket.members;
  }

  void add_l1(std::size_t part, std::size_t equal, const PredictorRows& rows) {
    tell(part, "l1 path");
    const L1Ranking ranking = rank_by_path(l1_path(data_, rows.train, predictor_options(), hooks()));
    const auto first = [&](std::size_t count) {
      Names names;
      for (std::size_t r = 0; r < std::min(count, ranking.order.size()); ++r)
        names.push_back(data_.features[ranking.order[r]].name);
      std::sort(names.begin(), names.end());
      return names;
    };
    add(part, "l1", first(ranking.best_size), rows);
    add(part, "l1 of equal size", first(equal), rows);
  }

  Names random_set(std::size_t part, std::uint64_t set, std::size_t size) const {
    Names names = data_.feature_names();
    std::sort(names.begin(), names.end());
    RandomStream random(StreamKey(select_.test.seed).with("random features").with(part).with(set));
    Names drawn;
    for (const std::int64_t f : random_permutation(names.size(), random))
      if (drawn.size() < size) drawn.push_back(names[static_cast<std::size_t>(f)]);
    return drawn;
  }

  MapsHooks hooks() const {
    MapsHooks hooks;
    hooks.on_progress = [this](const MapsProgress&) {
      return !on_progress_ || on_progress_({"predictors", "predictors", done_, expected(), 0, ""});
    };
    return hooks;
  }

  void add(std::size_t part, const std::string& name, const Names& names, const PredictorRows& rows) {
    tell(part, name);
    auto column = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.name == name; });
    if (column == columns_.end())
      column = columns_.insert(columns_.end(),
                               {name, {}, std::vector<double>(data_.samples()), std::vector<double>(data_.samples())});
    std::vector<std::size_t> features;
    for (const std::string& feature : names) features.push_back(data_.feature_index(feature));
    std::sort(features.begin(), features.end());
    Predicted& predicted = known_[{part, features}];  // the same set of two methods is learned once
    if (predicted.score.empty()) predicted = fit_predictor(data_, features, rows, predictor_options(), hooks());
    for (std::size_t t = 0; t < rows.test.size(); ++t) {
      column->score[rows.test[t]] = predicted.score[t];
      column->gain[rows.test[t]] = predicted.gain[t];
    }
    column->features.push_back(names);
    ++done_;
  }

  bool positive(std::size_t i) const { return data_.target.columns[0].codes[i] == 1; }

  /// Mean over the parts of a measure of the samples drawn (each sample so many times).
  template <class Measure>
  double mean_of_parts(const Column& column, const std::vector<std::vector<std::size_t>>& drawn,
                       Measure&& measure) const {
    double sum = 0;
    for (const std::vector<std::size_t>& part : drawn) {
      Scored scored;
      for (const std::size_t i : part) {
        scored.score.push_back(column.score[i]);
        scored.positive.push_back(positive(i));
      }
      sum += measure(scored);
    }
    return sum / static_cast<double>(drawn.size());
  }

  std::vector<std::vector<std::size_t>> by_part() const {
    std::vector<std::vector<std::size_t>> parts(o_.parts);
    for (std::size_t i = 0; i < part_of_.size(); ++i) parts[static_cast<std::size_t>(part_of_[i])].push_back(i);
    return parts;
  }

  EvaluatedSet summary(const Column& c) const {
    EvaluatedSet set;
    set.name = c.name;
    set.features = c.features;
    for (const Names& names : c.features)
      set.size += static_cast<double>(names.size()) / static_cast<double>(c.features.size());
    const double n = static_cast<double>(c.gain.size());
    set.gain = std::accumulate(c.gain.begin(), c.gain.end(), 0.0) / n;
    double squares = 0;
    for (const double g : c.gain) squares += (g - set.gain) * (g - set.gain);
    set.gain_error = std::sqrt(squares / n / n);
    if (!data_.target_is_categorical()) {
      set.r_squared = r_squared(c);
      return set;
    }
    set.auc = mean_of_parts(c, by_part(), area_under_roc);
    set.average_precision = mean_of_parts(c, by_part(), average_precision);
    Scored pooled{ranks_within(c.score, part_of_), {}};
    for (std::size_t i = 0; i < c.score.size(); ++i) pooled.positive.push_back(positive(i));
    set.roc = shortened(roc_curve(pooled));
    return set;
  }

  /// Scores of a number are standardised by the training samples: correlation is what they can be compared by.
  double r_squared(const Column& c) const {
    const std::vector<double>& y = data_.target.columns[0].values;
    double sums = 0;
    for (const auto& part : by_part()) {
      double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
      for (const std::size_t i : part) mx += c.score[i], my += y[i];
      mx /= static_cast<double>(part.size()), my /= static_cast<double>(part.size());
      for (const std::size_t i : part)
        xx += (c.score[i] - mx) * (c.score[i] - mx), yy += (y[i] - my) * (y[i] - my),
            xy += (c.score[i] - mx) * (y[i] - my);
      sums += xx * yy > 0 ? xy * xy / (xx * yy) : 0;
    }
    return sums / static_cast<double>(o_.parts);
  }

  /// At most a few hundred points, the ends among them.
  static std::vector<std::pair<double, double>> shortened(const std::vector<RocPoint>& curve) {
    constexpr std::size_t most = 200;
    const std::size_t step = std::max<std::size_t>(1, curve.size() / most);
    std::vector<std::pair<double, double>> points;
    for (std::size_t p = 0; p < curve.size(); p += step)
      points.emplace_back(curve[p].false_positive, curve[p].true_positive);
    if (points.back() != std::pair(1.0, 1.0)) points.emplace_back(1, 1);
    return points;
  }

  /// The random sets as one: means of their measures, the curve and features of the first.
  static void merge_random(Evaluation& e) {
    const auto is_random = [](const EvaluatedSet& s) { return s.name.starts_with("random "); };
    const auto first = std::find_if(e.sets.begin(), e.sets.end(), is_random);
    if (first == e.sets.end()) return;
    EvaluatedSet merged = *first;
    merged.name = "random";
    merged.size = merged.auc = merged.average_precision = merged.gain = merged.gain_error = merged.r_squared = 0;
    const double count = static_cast<double>(std::count_if(e.sets.begin(), e.sets.end(), is_random));
    for (const EvaluatedSet& s : e.sets) {
      if (!is_random(s)) continue;
      merged.size += s.size / count;
      merged.auc += s.auc / count;
      merged.average_precision += s.average_precision / count;
      merged.gain += s.gain / count;
      merged.gain_error += s.gain_error / count;
      merged.r_squared += s.r_squared / count;
    }
    std::erase_if(e.sets, is_random);
    e.sets.push_back(std::move(merged));
  }

  /// Selected against every other way, on the same resampled units.
  void add_differences(Evaluation& e) const {
    const auto at =
        std::find_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.name == "selected"; });
    std::vector<const Column*> others;
    for (const Column& c : columns_)
      if (&c != &*at && (!c.name.starts_with("random ") || c.name == "random 1")) others.push_back(&c);
    const auto measure = [&](const Column& c, const std::vector<std::vector<std::size_t>>& drawn) {
      if (data_.target_is_categorical()) return mean_of_parts(c, drawn, area_under_roc);
      double sum = 0, count = 0;
      for (const auto& part : drawn)
        for (const std::size_t i : part) sum += c.gain[i], ++count;
      return sum / count;
    };
    std::vector<std::vector<double>> resampled(others.size());
    for (std::uint64_t b = 0; b < o_.bootstrap; ++b) {
      const auto drawn = resample(b);
      const double own = measure(*at, drawn);
      for (std::size_t c = 0; c < others.size(); ++c) resampled[c].push_back(own - measure(*others[c], drawn));
    }
    for (std::size_t c = 0; c < others.size(); ++c) {
      std::sort(resampled[c].begin(), resampled[c].end());
      const auto quantile = [&](double q) {
        return resampled[c].empty()
                   ? std::nan("")
                   : resampled[c][static_cast<std::size_t>(q * static_cast<double>(resampled[c].size() - 1) + 0.5)];
      };
      e.differences.push_back({"selected", others[c]->name == "random 1" ? "random" : others[c]->name,
                               data_.target_is_categorical() ? "auc" : "gain",
                               measure(*at, by_part()) - measure(*others[c], by_part()), quantile(0.025),
                               quantile(0.975)});
    }
  }

  /// Units drawn with replacement within their part and class.
  std::vector<std::vector<std::size_t>> resample(std::uint64_t b) const {
    RandomStream random(StreamKey(select_.test.seed).with("bootstrap").with(b));
    std::vector<std::vector<std::size_t>> drawn;
    for (const auto& part : by_part()) {
      std::vector<std::size_t> classes[2];
      for (const std::size_t i : part) classes[data_.target_is_categorical() && positive(i) ? 1 : 0].push_back(i);
      auto& taken = drawn.emplace_back();
      for (const auto& members : classes)
        for (std::size_t k = 0; k < members.size(); ++k) taken.push_back(members[random.below(members.size())]);
    }
    return drawn;
  }

  const Dataset& data_;
  const Names& selected_;
  const SelectOptions& select_;
  const EvaluateOptions& o_;
  const ProgressCallback& on_progress_;
  std::vector<std::int32_t> part_of_;
  std::vector<Column> columns_;
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, Predicted> known_;
  std::vector<std::string> notes_;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<Option> declare(EvaluateOptions& o) {
  return {
      {.name = "parts",
       .field = &o.parts,
       .meaning = "Parts of the cross-validation over units",
       .low = 2,
       .high = 100},
      {.name = "random-sets",
       .field = &o.random_sets,
       .meaning = "Random sets of as many features to compare with",
       .high = 100},
      {.name = "bootstrap",
       .field = &o.bootstrap,
       .meaning = "Resamplings of the units for the intervals of differences",
       .low = 100,
       .high = 1e6},
      {.name = "no-l1", .field = &o.no_l1, .meaning = "Leave out the comparison with l1 selection"},
      {.name = "keep-selection",
       .field = &o.keep_selection,
       .meaning =
           "Do not repeat the selection within each part: faster, and optimistic, as it has seen the test samples"}};
}

Evaluation evaluate_selection(const Dataset& data, const std::vector<std::string>& selected,
                              const SelectOptions& select, const EvaluateOptions& options,
                              const ProgressCallback& on_progress) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  if (data.target_is_categorical() ? data.classes().size() != 2 : data.target.columns.size() != 1)
    throw InputError(fmt::format("'{}': predictors are compared for two classes or one number", data.target.name));
  for (const std::string& name : selected) data.feature_index(name);
  return Evaluator(data, selected, select, options, on_progress).run();
}

}  // namespace macmi
