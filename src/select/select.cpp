#include "macmi/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "citest/fisher_z.hpp"
#include "macmi/error.hpp"
#include "select/dataset_test.hpp"
#include "select/packed_test.hpp"
#include "select/surrogate_evidence.hpp"

namespace macmi {
namespace {

TargetSummary summarise(const Dataset& data) {
  TargetSummary target{data.target.name, data.target_is_categorical(), 0, 0};
  if (!target.categorical) return target;
  target.classes = data.classes().size();
  std::map<std::int32_t, double> counts;
  for (const std::int32_t code : data.target.columns.front().codes) ++counts[code];
  for (const auto& [code, count] : counts) {
    const double share = count / static_cast<double>(data.samples());
    target.entropy -= share * std::log(share);
  }
  return target;
}

void check(const Dataset& data) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  if (data.samples() < DatasetTest::least_samples)
    throw InputError(fmt::format("{}: {} samples are too few to test anything; at least {} are needed", data.source,
                                 data.samples(), DatasetTest::least_samples));
}

/// `--k auto` on learned maps with a target of numbers: maps concentrate what a feature knows in one number, so that
/// fine structure decides (docs/maps.md); larger neighbourhoods lose co-parents and cost ten times as much.
constexpr double neighbours_on_maps = 5;

SelectOptions on_maps(bool categorical_target, bool folded, const SelectOptions& options) {
  SelectOptions chosen = with_preset(options);
  if (chosen.test.transform == Transform::automatic)
    chosen.test.transform = Transform::block;      // a map's metric has a meaning
  if (!folded) chosen.test.no_correlation = true;  // it would see how the map was fitted to these very samples
  if (chosen.test.k.is_automatic() && !categorical_target) chosen.test.k = NeighbourCount(neighbours_on_maps);
  return chosen;
}

SelectOptions on_maps(const LearnedMaps& maps, const SelectOptions& options) {
  return on_maps(maps.mapped().target_is_categorical(), !maps.folds().empty(), options);
}

}  // namespace

double uncertainty_share(const TargetSummary& target, double effect) {
  if (!(effect > 0)) return 0;
  if (!target.categorical) return -std::expm1(-2 * effect);
  return target.entropy > 0 ? std::min(1.0, effect / target.entropy) : 0;
}

std::size_t power_limit(Method method, std::size_t samples) {
  if (method == Method::fisherz) return samples / 4;
  return static_cast<std::size_t>(std::max(3.0, std::floor(3 * std::log10(static_cast<double>(samples)) - 3)));
}

namespace {

/// A stored test is taken as it is where it drew as many permutations as are wanted now.
std::unique_ptr<TargetCiTest> make_baseline_test(const SampleSource& data, Method method, const TestOptions& test,
                                                 const std::function<bool()>& cancelled,
                                                 std::vector<std::int32_t> folds) {
  const auto baseline = [method, test, cancelled](const Variable& x, const Variable& y, const Variable& z,
                                                  const TestContext& context) {
    TestContext watched = context;
    if (cancelled) watched.progress = [&](std::size_t, std::size_t) { return !cancelled(); };
    return ci_test_by(method, x, y, z, test, watched);
  };
  const auto again = [wanted = test.permutations](const CiResult& earlier) {
    return earlier.permutations == 0 || earlier.permutations == wanted ? std::optional(earlier) : std::nullopt;
  };
  return std::make_unique<DatasetTest>(data, baseline, false, again, std::move(folds));
}

std::size_t feature_count(const SampleSource& data) {
  return data.dataset ? data.dataset->features.size() : unpack(data.packed).features.size();
}

std::unique_ptr<TargetCiTest> make_test(const SampleSource& data, const SelectOptions& options,
                                        const std::function<bool()>& cancelled, std::vector<std::int32_t> folds,
                                        std::shared_ptr<const SurrogateScores> scores = {}) {
  if (options.method == Method::fisherz) {
    const auto linear = [](const Variable& x, const Variable& y, const Variable& z, const TestContext&) {
      return fisher_z(x, y, z);
    };
    return std::make_unique<DatasetTest>(
        data, linear, false, [](const CiResult& earlier) { return earlier; }, std::move(folds));
  }
  TestOptions test = options.test;
  test.alpha = options.search.alpha;
  test.min_cmi = options.search.min_cmi;
  test.threads = 1;
  if (options.method != Method::knn) return make_baseline_test(data, options.method, test, cancelled, std::move(folds));
  // Benjamini-Hochberg over m features compares p-values with levels down to fdr / m.
  if (options.search.asks_all_together())
    test.smallest_level = options.search.fdr / static_cast<double>(std::max<std::size_t>(1, feature_count(data)));
  // The screen controls the false discovery rate on whole p-values, not on those of tests that stopped early.
  TestOptions marginal = test;
  if (options.search.asks_all_together()) marginal.stop = StopRule::never;
  const auto knn = [test, marginal, cancelled](const Variable& x, const Variable& y, const Variable& z,
                                               const TestContext& context) {
    const TestOptions& this_test = z.empty() ? marginal : test;
    if (!cancelled) return ci_test(x, y, z, this_test, context);
    TestContext watched = context;
    watched.progress = [&](std::size_t, std::size_t) { return !cancelled(); };
    return ci_test(x, y, z, this_test, watched);
  };
  const DecideAgain again = [test, marginal](const CiResult& earlier) {
    return decide_again(earlier, earlier.conditioned ? test : marginal);
  };
  return std::make_unique<DatasetTest>(data, knn,
                                       test.transform == Transform::block || test.transform == Transform::automatic,
                                       again, std::move(folds), std::move(scores));
}

/// The surrogate, where tests on maps look at more than neighbours.
std::shared_ptr<const SurrogateScores> scores_for(const LearnedMaps& maps, const SelectOptions& chosen) {
  return chosen.test.k.is_automatic() && !chosen.test.no_correlation ? maps.scores() : nullptr;
}

}  // namespace

std::unique_ptr<TargetCiTest> make_dataset_test(const Dataset& data, const SelectOptions& options,
                                                const std::function<bool()>& cancelled,
                                                std::vector<std::int32_t> folds) {
  check(data);
  return make_test(data, options, cancelled, std::move(folds));
}

std::unique_ptr<TargetCiTest> make_packed_test(std::string_view packed, PackedFrom from, const SelectOptions& options,
                                               const std::function<bool()>& cancelled) {
  return make_test(SampleSource(packed),
                   from.maps ? on_maps(from.categorical_target, from.folded, options) : with_preset(options), cancelled,
                   {});
}

std::unique_ptr<TargetCiTest> make_map_test(const LearnedMaps& maps, const SelectOptions& options,
                                            const std::function<bool()>& cancelled) {
  check(maps.mapped());
  const SelectOptions chosen = on_maps(maps, options);
  return make_test(maps.mapped(), chosen, cancelled, maps.folds(), scores_for(maps, chosen));
}

MapsOptions maps_options(const SelectOptions& options) {
  const SelectOptions chosen = with_preset(options);
  MapsOptions maps = chosen.maps;
  maps.delta = chosen.search.delta;
  maps.seed = chosen.test.seed;
  maps.threads = chosen.test.threads;
  return maps;
}

namespace {

Selection search_blanket(const Dataset& data, const TargetCiTest& test, const SelectOptions& options,
                         const SearchHooks& hooks) {
  FeatureFacts facts;
  facts.duplicates = data.health.duplicates;
  for (const Feature& feature : data.features) facts.dimensions.push_back(feature.columns.size());
  facts.power_limit = power_limit(options.method, data.samples());
  SearchOptions search = options.search;
  search.threads = options.test.threads;

  Selection selection;
  selection.target = summarise(data);
  selection.samples = data.samples();
  selection.blanket = find_blanket(test, search, facts, hooks);
  selection.method = text(options.method);
  selection.alpha = search.alpha;
  selection.min_cmi = search.min_cmi;
  selection.delta = search.delta;
  selection.no_children = search.no_children;
  selection.seed = options.test.seed;
  return selection;
}

/// The searches on subsamples of what was searched: samples as they are, or maps, which are kept. Each runs on one
/// thread, several at a time; `hooks` hears of all of them together.
Stability stability_of(const Dataset& data, const std::vector<std::int32_t>& folds,
                       const std::shared_ptr<const SurrogateScores>& scores, const SelectOptions& options,
                       const SearchHooks& hooks, std::size_t tests_of_one) {
  SelectOptions on_part = options;
  on_part.test.threads = 1;
  std::mutex one_at_a_time;
  std::size_t finished = 0, tests = tests_of_one;
  bool stopped = false;
  const auto keep_going = [&](std::size_t candidates) {
    const std::lock_guard lock(one_at_a_time);
    const std::size_t expected = tests_of_one * (options.stability.subsamples + 1);
    const SearchProgress progress{fmt::format("stability, {} of {} subsamples", finished, options.stability.subsamples),
                                  tests, std::max(expected, tests), std::max(expected, tests), candidates};
    stopped = stopped || (hooks.on_progress && !hooks.on_progress(progress));
    return !stopped;
  };
  const auto members_on = [&](std::span<const std::size_t> rows) {
    SearchHooks part_hooks;
    part_hooks.on_progress = [&](const SearchProgress& part) { return keep_going(part.candidates); };
    const Dataset part = take_samples(data, rows);
    std::vector<std::int32_t> part_folds;
    if (!folds.empty())
      for (const std::size_t row : rows) part_folds.push_back(folds[row]);
    check(part);
    const auto test = make_test(part, on_part, {}, std::move(part_folds),
                                scores ? std::make_shared<const SurrogateScores>(scores->samples().on(rows)) : nullptr);
    const Blanket blanket = search_blanket(part, *test, on_part, part_hooks).blanket;
    const std::lock_guard lock(one_at_a_time);
    ++finished;
    tests += blanket.tests;
    return blanket.members;
  };
  const auto classes = data.target_is_categorical() ? std::span<const std::int32_t>(data.target.columns.front().codes)
                                                    : std::span<const std::int32_t>();
  return selection_frequencies(data.feature_names(), data.samples(), classes, options.stability, options.test.seed,
                               options.stability.threads ? options.stability.threads : options.test.threads,
                               members_on);
}

void check_stability(const Dataset& data, const StabilityOptions& options) {
  if (options.subsamples == 0) return;
  const auto part = static_cast<std::size_t>(options.share * static_cast<double>(data.samples()));
  if (part < DatasetTest::least_samples)
    throw InputError(
        fmt::format("--stability: a subsample would have {} samples, at least {} are needed; raise --stability-share",
                    part, DatasetTest::least_samples));
}

}  // namespace

void check_selection(const Dataset& data, const SelectOptions& options) {
  check(data);
  check_stability(data, options.stability);
  if (options.method == Method::hsic || options.method == Method::hsic_permutation)
    throw InputError(
        fmt::format("--method {} cannot condition on anything, which a search must: --method sdcit is its conditional "
                    "sister, and is "
                    "HSIC where nothing is given",
                    text(options.method)));
}

Selection select_features(const Dataset& data, const SelectOptions& options, const SearchHooks& hooks,
                          const MapsHooks& maps_hooks) {
  check_selection(data, options);
  const SelectOptions chosen = with_preset(options);
  if (wants_maps(data, chosen.maps))
    return select_features(data, learn_maps(data, maps_options(options), maps_hooks), options, hooks);
  return select_features(data, *make_dataset_test(data, chosen), options, hooks);
}

Selection select_features(const Dataset& data, const TargetCiTest& test, const SelectOptions& options,
                          const SearchHooks& hooks) {
  check(data);
  check_stability(data, options.stability);
  const SelectOptions chosen = with_preset(options);
  Selection selection = search_blanket(data, test, chosen, hooks);
  selection.options = deciding_options(options);
  selection.health = health_lines(sorted_by_name(data.health));
  if (options.stability.subsamples)
    selection.stability = stability_of(data, {}, {}, chosen, hooks, selection.blanket.tests);
  return selection;
}

Selection select_features(const Dataset& data, const LearnedMaps& maps, const SelectOptions& options,
                          const SearchHooks& hooks) {
  return select_features(data, maps, *make_map_test(maps, options), options, hooks);
}

Selection select_features(const Dataset& data, const LearnedMaps& maps, const TargetCiTest& test,
                          const SelectOptions& options, const SearchHooks& hooks) {
  check(data);
  check_stability(data, options.stability);
  const SelectOptions chosen = on_maps(maps, options);
  Selection selection = search_blanket(maps.mapped(), test, chosen, hooks);
  selection.options = deciding_options(options);
  selection.health = health_lines(sorted_by_name(data.health));
  if (options.stability.subsamples)
    selection.stability =
        stability_of(maps.mapped(), maps.folds(), scores_for(maps, chosen), chosen, hooks, selection.blanket.tests);
  add_maps(selection, maps, data);
  return selection;
}

}  // namespace macmi
