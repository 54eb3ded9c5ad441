#include "macmi/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "evaluate/summary.hpp"
#include "learn/masks.hpp"
#include "learn/predictor.hpp"
#include "learn/splits.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

using Names = std::vector<std::string>;

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
    Evaluation e = summarise({data_, part_of_, o_.parts, select_.test.seed}, columns_, o_.bootstrap);
    e.nested = !o_.keep_selection;
    e.notes = notes_;
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
    auto column = std::find_if(columns_.begin(), columns_.end(), [&](const ScoredSet& c) { return c.name == name; });
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

  const Dataset& data_;
  const Names& selected_;
  const SelectOptions& select_;
  const EvaluateOptions& o_;
  const ProgressCallback& on_progress_;
  std::vector<std::int32_t> part_of_;
  std::vector<ScoredSet> columns_;
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
