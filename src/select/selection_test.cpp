// The test of a selection, from a data set, from learned maps, or from what another process packed.
#include "select/selection_test.hpp"

#include <fmt/format.h>

#include "citest/fisher_z.hpp"
#include "macmi/error.hpp"
#include "select/dataset_test.hpp"

namespace macmi::select {
namespace {

/// `--k auto` on learned maps with a target of numbers: maps concentrate what a feature knows in one number, so that
/// fine structure decides (docs/maps.md); larger neighbourhoods lose co-parents and cost ten times as much.
constexpr double neighbours_on_maps = 5;

struct MapFacts {
  bool categorical_target = false;
  bool folded = false;  ///< maps learned on other samples than they are tested on
};

SelectOptions resolved_for_maps(const SelectOptions& options, MapFacts facts) {
  SelectOptions chosen = resolved(options);
  chosen.interactions = Interactions::none;  // maps are learned with all features together
  if (chosen.test.transform == Transform::automatic)
    chosen.test.transform = Transform::block;            // a map's metric has a meaning
  if (!facts.folded) chosen.test.no_correlation = true;  // it would see how the map was fitted to these very samples
  if (chosen.test.k.is_automatic() && !facts.categorical_target) chosen.test.k = NeighbourCount(neighbours_on_maps);
  return chosen;
}

/// Every test asks `cancelled`, where there is one, between batches of permutations.
VariableTest watched(VariableTest test, const std::function<bool()>& cancelled) {
  if (!cancelled) return test;
  return [test, cancelled](const Variable& x, const Variable& y, const Variable& z, const TestContext& context) {
    TestContext with_watch = context;
    with_watch.progress = [&](std::size_t, std::size_t) { return !cancelled(); };
    return test(x, y, z, with_watch);
  };
}

std::unique_ptr<DatasetTest> make_linear_test(PreparedSamples samples) {
  const auto linear = [](const Variable& x, const Variable& y, const Variable& z, const TestContext&) {
    return citest::fisher_z(x, y, z);
  };
  return std::make_unique<DatasetTest>(std::move(samples), linear, [](const CiResult& earlier) { return earlier; });
}

/// A stored test is taken as it is where it drew as many permutations as are wanted now.
std::unique_ptr<DatasetTest> make_baseline_test(PreparedSamples samples, Method method, const TestOptions& options,
                                                const std::function<bool()>& cancelled) {
  const auto baseline = [method, options](const Variable& x, const Variable& y, const Variable& z,
                                          const TestContext& context) {
    return ci_test_by(method, x, y, z, options, context);
  };
  const auto again = [wanted = options.permutations](const CiResult& earlier) {
    return earlier.permutations == 0 || earlier.permutations == wanted ? std::optional(earlier) : std::nullopt;
  };
  return std::make_unique<DatasetTest>(std::move(samples), watched(baseline, cancelled), again);
}

/// `questions`: how many p-values the search compares together.
std::unique_ptr<DatasetTest> make_test(PreparedSamples samples, const SelectOptions& resolved, std::size_t questions,
                                       const std::function<bool()>& cancelled) {
  if (resolved.method == Method::fisherz) return make_linear_test(std::move(samples));
  TestOptions options = resolved.test;
  options.threads = 1;  // the search runs several tests at a time
  if (resolved.method != Method::knn)
    return make_baseline_test(std::move(samples), resolved.method, options, cancelled);
  // Benjamini-Hochberg over m features compares p-values with levels down to fdr / m.
  if (resolved.search.asks_all_together())
    options.smallest_level = resolved.search.fdr / static_cast<double>(std::max<std::size_t>(1, questions));
  const auto knn = [options, memory = make_test_memory()](const Variable& x, const Variable& y, const Variable& z,
                                                          const TestContext& context) {
    TestContext with_memory = context;
    with_memory.memory = memory.get();
    return ci_test(x, y, z, options, with_memory);
  };
  DecideAgain again = [options](const CiResult& earlier) { return decide_again(earlier, options); };
  return std::make_unique<DatasetTest>(std::move(samples), watched(knn, cancelled), std::move(again));
}

bool wants_equal_scales(const SelectOptions& o) {
  return o.method == Method::knn && (o.test.transform == Transform::block || o.test.transform == Transform::automatic);
}

}  // namespace

void expect_testable(const Dataset& data) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  expect_samples(data);
}

void expect_samples(const Dataset& data) {
  if (data.samples() < DatasetTest::least_samples)
    throw InputError(fmt::format("{}: too few samples to test anything: {}, and at least {} are needed", data.source,
                                 data.samples(), DatasetTest::least_samples));
}

std::vector<std::string> health_of(const Dataset& data) {
  std::vector<std::string> lines = health_lines(sorted_by_name(data.health));
  if (data.samples() < DatasetTest::few_samples)
    lines.push_back(fmt::format("few samples ({}): only strong dependence can be seen", data.samples()));
  return lines;
}

TestedSamples samples_of(const Dataset& data, std::vector<std::int32_t> folds) {
  return {.data = data, .folds = std::move(folds)};
}

TestedSamples samples_of(const LearnedMaps& maps, const SelectOptions& options) {
  TestedSamples samples{.data = maps.mapped(), .mapped = true, .folds = maps.folds()};
  const SelectOptions chosen = resolved_for(samples, options);
  if (chosen.method == Method::knn && chosen.test.k.is_automatic() && !chosen.test.no_correlation)
    samples.scores = maps.scores();
  return samples;
}

SelectOptions resolved_for(const TestedSamples& samples, const SelectOptions& options) {
  if (!samples.mapped) return resolved(options);
  return resolved_for_maps(options, {samples.data.target_is_categorical(), !samples.folds.empty()});
}

std::unique_ptr<SelectionTest> make_resolved_test(const TestedSamples& samples, const SelectOptions& resolved,
                                                  const std::function<bool()>& cancelled) {
  expect_testable(samples.data);
  PreparedSamples prepared = prepare_samples(samples.data, wants_equal_scales(resolved), samples.folds);
  prepared.mapped = samples.mapped;
  prepared.scores = samples.scores;
  return make_test(std::move(prepared), resolved, samples.data.features.size(), cancelled);
}

std::unique_ptr<DatasetTest> make_pair_test(const Dataset& data, const SelectOptions& resolved, std::size_t questions,
                                            const std::function<bool()>& cancelled) {
  expect_samples(data);
  return make_test(prepare_samples(data, wants_equal_scales(resolved), {}), resolved, questions, cancelled);
}

std::unique_ptr<DatasetTest> make_packed_pair_test(std::string_view packed, const SelectOptions& resolved,
                                                   std::size_t questions, const std::function<bool()>& cancelled) {
  return make_test(unpack(packed), resolved, questions, cancelled);
}

std::unique_ptr<SelectionTest> make_packed_test(std::string_view packed, const SelectOptions& options,
                                                const std::function<bool()>& cancelled) {
  PreparedSamples samples = unpack(packed);
  const Variable& target = samples.target.variable;
  const MapFacts facts{target.numeric().empty() && target.categorical().size() == 1, !samples.folds.empty()};
  const SelectOptions chosen = samples.mapped ? resolved_for_maps(options, facts) : resolved(options);
  const std::size_t questions = samples.features.size();
  return make_test(std::move(samples), chosen, questions, cancelled);
}

}  // namespace macmi::select

namespace macmi {

TestedSamples TestedSamples::on(const Dataset& part, std::span<const std::size_t> rows) const {
  TestedSamples samples{.data = part, .mapped = mapped};
  if (!folds.empty())
    for (const std::size_t row : rows) samples.folds.push_back(folds[row]);
  if (scores) samples.scores = std::make_shared<const SurrogateScores>(scores->samples().on(rows));
  return samples;
}

std::unique_ptr<SelectionTest> make_selection_test(const Dataset& data, const SelectOptions& options,
                                                   const std::function<bool()>& cancelled,
                                                   std::vector<std::int32_t> folds) {
  return select::make_resolved_test(select::samples_of(data, std::move(folds)), resolved(options), cancelled);
}

std::unique_ptr<SelectionTest> make_selection_test(const LearnedMaps& maps, const SelectOptions& options,
                                                   const std::function<bool()>& cancelled) {
  const TestedSamples samples = select::samples_of(maps, options);
  return select::make_resolved_test(samples, select::resolved_for(samples, options), cancelled);
}

}  // namespace macmi
