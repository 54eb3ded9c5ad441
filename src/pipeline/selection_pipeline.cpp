#include "macmi/selection_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/name_list.hpp"
#include "base/parallel.hpp"
#include "blanket/candidates.hpp"
#include "macmi/error.hpp"
#include "select/search_samples.hpp"
#include "select/second_pass.hpp"
#include "select/sufficiency.hpp"
#include "select/surrogate_evidence.hpp"

namespace macmi {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The features alone, for checks of names before any sample is prepared.
class FeatureNames : public TargetCiTest {
 public:
  explicit FeatureNames(std::vector<std::string> names) : names_(std::move(names)) {}
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t, std::span<const std::size_t>) const override { throw Error("names cannot be tested"); }

 private:
  std::vector<std::string> names_;
};

/// The options by which the data was read; nothing where the caller recorded none.
OptionTexts texts(DataOptions options) {
  OptionTexts all;
  if (options.target.empty()) return all;
  for (const Option& option : declare(options))
    if (option.name != "seed") all.emplace_back(option.name, value_text(option));
  return all;
}

/// All that a search on a subsample follows from beside the samples, which a run is bound to: the features and every
/// option that can change the result.
std::string what_a_search_follows_from(const SelectOptions& options, const Dataset& data) {
  std::vector<std::string> names = data.feature_names();
  std::sort(names.begin(), names.end());
  std::string all = base::join_names(names);
  for (const auto& [name, value] : deciding_options(options))
    if (name != "stability") all += fmt::format("\n--{} {}", name, value);
  return all;
}

std::string what_a_light_search_starts_from(const blanket::KnownAnswer& answer) {
  std::string all = "\nlight, members " + base::join_names(answer.members);
  for (const auto& [member, names] : answer.stand_ins)
    all += fmt::format("\nin the place of {}: {}", member, base::join_names(names));
  return all + "\nothers " + base::join_names(answer.others);
}

}  // namespace

SelectionPipeline::SelectionPipeline(const Dataset& data, const SelectionInputs& inputs)
    : data_(data), inputs_(inputs) {
  check_selection(data, inputs.select);
  blanket::prepare_candidates(FeatureNames(data.feature_names()), inputs.select.search, {});  // refuses unknown names
  timing_.source = data.source;
}

RunSubject SelectionPipeline::subject() const {
  return selection_subject(data_, inputs_.data, inputs_.select);
}

Selection SelectionPipeline::select(const SelectionHooks& hooks) {
  if (maps_ == nullptr && wants_maps(data_, resolved(inputs_.select).maps)) learn(hooks);
  const auto start = Clock::now();
  Selection selection = search(hooks);
  timing_.seconds = seconds_since(start);
  record_effort(hooks);
  selection.options = deciding_options(inputs_.select);
  selection.data_options = texts(inputs_.data);
  selection.health = select::health_of(data_);
  if (maps_ != nullptr) select::add_maps(selection, *maps_, data_);
  if (run_ != nullptr) run_->finish(selection_json(selection, timing_), selection_summary(selection));
  return selection;
}

void SelectionPipeline::learn(const SelectionHooks& hooks) {
  const auto start = Clock::now();
  MapsHooks watched = hooks.maps;
  if (run_ != nullptr && watched.folder.empty()) watched.folder = run_->training_folder();
  learned_ = learn_maps(data_, resolved(inputs_.select).maps, watched);
  maps_ = &*learned_;
  seconds_learning_ = seconds_since(start);
}

Selection SelectionPipeline::search(const SelectionHooks& hooks) {
  const TestedSamples samples = maps_ ? select::samples_of(*maps_, inputs_.select) : select::samples_of(data_);
  SelectOptions options = select::resolved_for(samples, inputs_.select);
  if (hooks.team != nullptr) options.search.threads = hooks.team->size;
  timing_.threads = base::thread_count(options.search.threads);
  test_ = select::make_resolved_test(samples, options, hooks.cancelled);
  const std::unique_ptr<TargetCiTest> spread = hooks.team ? hooks.team->spread(*test_) : nullptr;
  const TargetCiTest& made = spread ? *spread : *test_;
  const std::unique_ptr<TargetCiTest> kept = run_ ? run_->keep(made) : nullptr;
  SearchHooks counted = hooks.search;
  counted.on_test = [&](const TestRecord& record) {
    ++timing_.tests_made;
    if (hooks.search.on_test) hooks.search.on_test(record);
  };
  FinishedWork finished;
  if (run_ != nullptr) finished = run_->finished_work(what_a_search_follows_from(inputs_.select, data_));
  Selection selection = select::search_samples(samples.data, kept ? *kept : made, options, counted, finished);
  if (!options.no_evidence && !selection.blanket.partial) measure(selection, samples, options, hooks);
  const std::optional<blanket::KnownAnswer> light = select::light_stability_of(selection, options);
  if (options.stability.subsamples.value_or(0) == 0 && !light) return selection;
  select::SubsampleSearch how{options.test.threads, selection.blanket.tests, {}, light ? &*light : nullptr};
  if (run_ != nullptr)
    how.finished = run_->finished_work(what_a_search_follows_from(inputs_.select, data_) +
                                       (light ? what_a_light_search_starts_from(*light) : ""));
  selection.stability = select::search_subsamples(samples, selection.blanket.members, options, how, hooks.search);
  return selection;
}

/// By this process alone: a few dozen tests, which the search has begun.
void SelectionPipeline::measure(Selection& selection, const TestedSamples& samples, const SelectOptions& options,
                                const SelectionHooks& hooks) {
  const auto sufficiency = [&] {
    selection.sufficiency = select::measure_sufficiency(data_, selection, options.test.threads, hooks.cancelled);
  };
  if (options.method != Method::knn && options.method != Method::fisherz) return sufficiency();  // draws all it can
  const auto test = select::make_resolved_test(samples, select::without_early_stops(options), hooks.cancelled);
  const std::unique_ptr<TargetCiTest> kept = run_ ? run_->keep(*test) : nullptr;
  select::measure_selection(selection, samples,
                            {kept ? *kept : *test, options.test.threads, hooks.cancelled, hooks.search.on_progress});
  sufficiency();
}

void SelectionPipeline::record_effort(const SelectionHooks& hooks) {
  if (run_ != nullptr) {
    const RunTests tests = run_->tests();
    timing_.tests_made = tests.made;
    timing_.tests_continued = tests.continued;
    timing_.tests_reused = tests.reused;
  }
  if (hooks.team != nullptr && hooks.team->account) hooks.team->account(timing_);
}

Selection select_features(const Dataset& data, const SelectOptions& options, const SearchHooks& hooks,
                          const MapsHooks& maps_hooks) {
  return SelectionPipeline(data, options).select({.search = hooks, .maps = maps_hooks});
}

Selection select_features(const Dataset& data, const LearnedMaps& maps, const SelectOptions& options,
                          const SearchHooks& hooks) {
  SelectionPipeline pipeline(data, options);
  pipeline.use(maps);
  return pipeline.select({.search = hooks});
}

}  // namespace macmi
