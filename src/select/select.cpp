#include "macmi/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "citest/fisher_z.hpp"
#include "macmi/error.hpp"
#include "select/dataset_test.hpp"
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
    throw InputError(fmt::format("{}: {} samples are too few to test anything; at least {} are needed", data.source, data.samples(),
                                 DatasetTest::least_samples));
}

/// Threads are left out: they cannot change the result.
std::vector<std::pair<std::string, std::string>> record(SelectOptions options) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Option& option : declare(options))
    if (option.name != "threads") values.emplace_back(option.name, value_text(option));
  return values;
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

std::unique_ptr<TargetCiTest> make_dataset_test(const Dataset& data, const SelectOptions& options, std::vector<std::int32_t> folds) {
  check(data);
  if (options.method == Method::fisherz) {
    const auto linear = [](const Variable& x, const Variable& y, const Variable& z, const TestContext&) { return fisher_z(x, y, z); };
    return std::make_unique<DatasetTest>(data, linear, false, std::move(folds));
  }
  TestOptions test = options.test;
  test.alpha = options.search.alpha;
  test.min_cmi = options.search.min_cmi;
  test.threads = 1;
  // The false discovery rate is controlled on whole p-values, not on those of a test that stopped early.
  const StopRule stop_marginal = options.search.fdr > 0 ? StopRule::never : test.stop;
  const auto knn = [test, stop_marginal](const Variable& x, const Variable& y, const Variable& z, const TestContext& context) {
    TestOptions this_test = test;
    if (z.empty()) this_test.stop = stop_marginal;
    return ci_test(x, y, z, this_test, context);
  };
  return std::make_unique<DatasetTest>(data, knn, test.transform == Transform::block, std::move(folds));
}

namespace {

/// `--k auto` on learned maps with a target of numbers: maps concentrate what a feature knows in one number, so that fine
/// structure decides (docs/maps.md); larger neighbourhoods lose co-parents and cost ten times as much.
constexpr double neighbours_on_maps = 5;

Selection search_blanket(const Dataset& data, const SelectOptions& options, const SearchHooks& hooks, const std::vector<std::int32_t>& folds) {
  const std::unique_ptr<TargetCiTest> test = make_dataset_test(data, options, folds);
  FeatureFacts facts;
  facts.duplicates = data.health.duplicates;
  for (const Feature& feature : data.features) facts.dimensions.push_back(feature.columns.size());
  facts.power_limit = power_limit(options.method, data.samples());
  SearchOptions search = options.search;
  search.threads = options.test.threads;

  Selection selection;
  selection.target = summarise(data);
  selection.samples = data.samples();
  selection.blanket = find_blanket(*test, search, facts, hooks);
  selection.method = options.method == Method::knn ? "knn" : "fisherz";
  selection.alpha = search.alpha;
  selection.min_cmi = search.min_cmi;
  selection.delta = search.delta;
  selection.no_children = search.no_children;
  selection.seed = options.test.seed;
  return selection;
}

}  // namespace

Selection select_features(const Dataset& data, const SelectOptions& options, const SearchHooks& hooks, const MapsHooks& maps_hooks) {
  const SelectOptions chosen = with_preset(options);
  check(data);
  if (wants_maps(data, chosen.maps)) {
    MapsOptions maps = chosen.maps;
    maps.delta = chosen.search.delta;
    maps.seed = chosen.test.seed;
    maps.threads = chosen.test.threads;
    return select_features(data, learn_maps(data, maps, maps_hooks), options, hooks);
  }
  Selection selection = search_blanket(data, chosen, hooks, {});
  selection.options = record(options);
  return selection;
}

Selection select_features(const Dataset& data, const LearnedMaps& maps, const SelectOptions& options, const SearchHooks& hooks) {
  check(data);
  SelectOptions chosen = with_preset(options);
  if (chosen.test.k.is_automatic() && !data.target_is_categorical()) chosen.test.k = NeighbourCount(neighbours_on_maps);
  Selection selection = search_blanket(maps.mapped(), chosen, hooks, maps.folds());
  selection.options = record(options);
  add_maps(selection, maps, data);
  return selection;
}

}  // namespace macmi
