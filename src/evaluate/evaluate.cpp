#include "macmi/evaluate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/number_of.hpp"
#include "base/random.hpp"
#include "base/random_permutation.hpp"
#include "evaluate/summary.hpp"
#include "evaluate/tree_predictor.hpp"
#include "macmi/error.hpp"
#include "maps/predictor.hpp"
#include "maps/training/splits.hpp"

namespace macmi::evaluate {
namespace {

using Names = std::vector<std::string>;

/// Numbers as text with every bit; also those that are none.
std::string numbers_text(const std::vector<double>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end; ++at) at = std::from_chars(at, end, numbers.emplace_back()).ptr;
  return numbers;
}

/// Series need networks; a block of columns is no more than columns to trees.
bool uses_trees(const Dataset& data, PredictorKind kind) {
  const bool series =
      std::any_of(data.features.begin(), data.features.end(), [](const Feature& f) { return f.is_series(); });
  return kind == PredictorKind::trees || (kind == PredictorKind::automatic && !series);
}

class Evaluator {
 public:
  Evaluator(const Dataset& data, const Names& selected, const SelectOptions& select, const EvaluateOptions& o,
            const ProgressCallback& on_progress, const FinishedWork& finished)
      : data_(data),
        selected_(selected),
        select_(select),
        o_(o),
        on_progress_(on_progress),
        finished_(finished),
        part_of_(maps::draw_folds(data, o.parts, select.test.seed)) {
    select_.stability.subsamples = 0;
    select_.no_evidence = true;
    trees_ = uses_trees(data, o.predictor);
    no_l1_ = o.no_l1 || (trees_ && o.predictor == PredictorKind::automatic);
    if (!finished_.text) return;
    base::StreamKey key = base::StreamKey(1).with(data.fingerprint()).with(o.parts).with(trees_ ? 1u : 0u);
    for (const auto& [name, value] : deciding_options(select_)) key = key.with(name).with(value);
    follows_from_ = fmt::format("{:016x}", key.value());
  }

  Evaluation run() {
    for (std::size_t part = 0; part < o_.parts; ++part) evaluate_part(part);
    Evaluation e = summarise({data_, part_of_, o_.parts, select_.test.seed}, columns_, o_.bootstrap);
    e.nested = !o_.keep_selection;
    e.selection = selected_;
    e.notes = notes_;
    if (trees_) e.notes.push_back("predictors: penalised polynomials and boosted trees");
    if (no_l1_ && !o_.no_l1)
      e.notes.push_back("l1 selection, which trains networks, is left out for tables: --predictor network has it");
    return e;
  }

 private:
  bool keep_going() const { return !on_progress_ || on_progress_(now_); }
  void begin(std::size_t part, const std::string& what) {
    now_.stage = fmt::format("part {} of {}", part + 1, o_.parts);
    now_.unit = "predictors";
    now_.expected = o_.parts * (2 + o_.random_sets + (no_l1_ ? 0 : 2));
    now_.current = what;
    if (!keep_going()) throw Cancelled();
  }
  MapsHooks hooks() const {
    MapsHooks hooks;
    hooks.on_progress = [this](const MapsProgress&) { return keep_going(); };
    return hooks;
  }

  /// Takes the text from an earlier evaluation that stored it, or else from `measure`.
  std::string remembered(std::size_t part, const std::string& what, const std::function<std::string()>& measure) {
    stored_ = static_cast<bool>(finished_.text);
    if (!stored_) return measure();
    return finished_.text(fmt::format("{} part {}: {}", follows_from_, part + 1, what), [&] {
      stored_ = false;
      return measure();
    });
  }

  MapsOptions predictor_options() const {
    MapsOptions maps = resolved(select_).maps;
    maps.restarts = 1;
    return maps;
  }

  void evaluate_part(std::size_t part) {
    maps::PredictorRows rows;
    for (std::size_t i = 0; i < data_.samples(); ++i)
      (part_of_[i] == static_cast<std::int32_t>(part) ? rows.test : rows.train).push_back(i);
    Names all = data_.feature_names();
    std::sort(all.begin(), all.end());
    const Names chosen = o_.keep_selection ? selected_ : selection_on(part, rows.train);
    if (chosen.empty())
      notes_.push_back(fmt::format("part {}: nothing was selected; the prediction there is a constant", part + 1));
    add(part, "all", all, rows);
    add(part, "selected", chosen, rows);
    if (!no_l1_) add_l1(part, chosen.size(), rows);
    for (std::uint64_t r = 0; r < o_.random_sets; ++r)
      add(part, fmt::format("random {}", r + 1), random_set(part, r, chosen.size()), rows);
  }

  Names selection_on(std::size_t part, const std::vector<std::size_t>& rows) {
    begin(part, "selection");
    const std::string folder =
        finished_.folder.empty() ? "" : fmt::format("{}/{}-{}", finished_.folder, follows_from_, part + 1);
    const std::string text = remembered(part, "selection", [&] {
      SearchHooks search;
      search.on_progress = [this](const SearchProgress&) { return keep_going(); };
      MapsHooks maps = hooks();
      maps.folder = folder;
      return nlohmann::json(select_features(take_samples(data_, rows), select_, search, maps).blanket.members).dump();
    });
    std::error_code none;
    if (!folder.empty()) std::filesystem::remove_all(folder, none);
    return nlohmann::json::parse(text).get<Names>();
  }

  void add_l1(std::size_t part, std::size_t equal, const maps::PredictorRows& rows) {
    begin(part, "l1 path");
    const std::string text = remembered(part, "l1", [&] {
      const maps::L1Ranking ranking =
          maps::rank_by_path(maps::l1_path(data_, rows.train, predictor_options(), hooks()));
      Names order;
      for (const std::size_t f : ranking.order) order.push_back(data_.features[f].name);
      return nlohmann::json({{"order", order}, {"best_size", ranking.best_size}}).dump();
    });
    const auto ranking = nlohmann::json::parse(text);
    const auto first = [&](std::size_t count) {
      Names names = ranking["order"].get<Names>();
      names.resize(std::min(count, names.size()));
      std::sort(names.begin(), names.end());
      return names;
    };
    add(part, "l1", first(ranking["best_size"].get<std::size_t>()), rows);
    add(part, "l1 of equal size", first(equal), rows);
  }

  Names random_set(std::size_t part, std::uint64_t set, std::size_t size) const {
    Names names = data_.feature_names();
    std::sort(names.begin(), names.end());
    base::RandomStream random(base::StreamKey(select_.test.seed).with("random features").with(part).with(set));
    Names drawn;
    for (const std::uint32_t f : base::random_permutation(names.size(), random))
      if (drawn.size() < size) drawn.push_back(names[f]);
    return drawn;
  }

  /// Predictions of the part's test samples; the same set of two methods is learned once.
  const maps::Predicted& predictions(std::size_t part, Names names, const maps::PredictorRows& rows) {
    std::sort(names.begin(), names.end());
    const auto [known, is_new] = known_.try_emplace({part, names});
    stored_ = false;
    if (!is_new) return known->second;
    const std::size_t n = rows.test.size();
    const std::vector<double> numbers = numbers_of(remembered(part, nlohmann::json(names).dump(), [&] {
      std::vector<std::size_t> features;
      for (const std::string& name : names) features.push_back(data_.feature_index(name));
      std::sort(features.begin(), features.end());
      maps::Predicted fresh = trees_ ? fit_trees(data_, features, rows, select_.test.seed)
                                     : maps::fit_predictor(data_, features, rows, predictor_options(), hooks());
      fresh.score.insert(fresh.score.end(), fresh.gain.begin(), fresh.gain.end());
      return numbers_text(fresh.score);
    }));
    if (numbers.size() != 2 * n) throw Error("a kept prediction is damaged");
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(n);
    known->second.score.assign(numbers.begin(), middle);
    known->second.gain.assign(middle, numbers.end());
    return known->second;
  }

  void add(std::size_t part, const std::string& name, const Names& names, const maps::PredictorRows& rows) {
    begin(part, name);
    auto column = std::find_if(columns_.begin(), columns_.end(), [&](const ScoredSet& c) { return c.name == name; });
    if (column == columns_.end())
      column = columns_.insert(columns_.end(),
                               {name, {}, std::vector<double>(data_.samples()), std::vector<double>(data_.samples())});
    const maps::Predicted& predicted = predictions(part, names, rows);
    for (std::size_t t = 0; t < rows.test.size(); ++t) {
      column->score[rows.test[t]] = predicted.score[t];
      column->gain[rows.test[t]] = predicted.gain[t];
    }
    column->features.push_back(names);
    ++now_.done;
    now_.stored += stored_;
  }

  const Dataset& data_;
  const Names& selected_;
  SelectOptions select_;
  const EvaluateOptions& o_;
  const ProgressCallback& on_progress_;
  const FinishedWork& finished_;
  std::string follows_from_;  ///< data and options in one word
  std::vector<std::int32_t> part_of_;
  std::vector<ScoredSet> columns_;
  std::map<std::pair<std::size_t, Names>, maps::Predicted> known_;
  std::vector<std::string> notes_;
  Progress now_;
  bool trees_ = false, no_l1_ = false;
  bool stored_ = false;  ///< true: the last text came from an earlier evaluation
};

}  // namespace
}  // namespace macmi::evaluate

namespace macmi {

std::vector<Option> declare(EvaluateOptions& o) {
  return {
      {.name = "predictor",
       .field = choice_of(o.predictor, {"auto", "trees", "network"}),
       .meaning = "What predicts: boosted trees on polynomials (seconds), or the networks of feature maps; auto: trees "
                  "for tables, networks for series"},
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

void check_evaluation(const Dataset& data, const std::vector<std::string>& selected, const EvaluateOptions& options) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  if (data.target_is_categorical() ? data.classes().size() != 2 : data.target.columns.size() != 1)
    throw InputError(fmt::format("'{}': predictors are compared for two classes or one number", data.target.name));
  for (const std::string& name : selected) data.feature_index(name);
  const auto expect_enough = [&](const std::set<std::string>& units, const std::string& of_what) {
    if (units.size() < options.parts)
      throw InputError(fmt::format("--parts {}: there {} only {}{}; give at most as many parts", options.parts,
                                   units.size() == 1 ? "is" : "are", base::number_of(units.size(), "unit"), of_what));
  };
  std::map<std::int32_t, std::set<std::string>> units;  // of each class, or of all
  for (std::size_t i = 0; i < data.samples(); ++i)
    units[data.target_is_categorical() ? data.target.columns[0].codes[i] : 0].insert(
        data.units.empty() ? std::to_string(i) : data.units[i]);
  for (const auto& [code, of_class] : units)
    expect_enough(of_class, data.target_is_categorical()
                                ? fmt::format(" with {} = {}", data.target.name,
                                              data.target.columns[0].labels[static_cast<std::size_t>(code)])
                                : std::string());
}

Evaluation evaluate_selection(const Dataset& data, const std::vector<std::string>& selected,
                              const SelectOptions& select, const EvaluateOptions& options,
                              const ProgressCallback& on_progress, const FinishedWork& finished) {
  check_evaluation(data, selected, options);
  return evaluate::Evaluator(data, selected, select, options, on_progress, finished).run();
}

}  // namespace macmi
