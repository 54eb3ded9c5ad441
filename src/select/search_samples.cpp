#include "select/search_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "macmi/error.hpp"
#include "select/dataset_test.hpp"
#include "select/pair_candidates.hpp"

namespace macmi::select {
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

FeatureFacts facts_of(const Dataset& data, const SelectOptions& resolved) {
  FeatureFacts facts;
  facts.duplicates = data.health.duplicates;
  for (const Feature& feature : data.features) facts.dimensions.push_back(feature.columns.size());
  facts.power_limit = power_limit(resolved.method, data.samples());
  return facts;
}

/// Counts of ten halves cannot tell which of two absent members a feature replaces. A stand-in replaces those that it
/// could stand in for.
void leave_to_their_members(const blanket::KnownAnswer& answer, Stability& stability) {
  std::map<std::string, std::set<std::string>> stands_for;
  for (const auto& [member, names] : answer.stand_ins)
    for (const std::string& name : names) stands_for[name].insert(member);
  for (std::size_t f = 0; f < stability.features.size(); ++f)
    std::erase_if(stability.exchanged_for[f], [&](const std::string& name) {
      const auto found = stands_for.find(name);
      return found != stands_for.end() && !found->second.contains(stability.features[f]);
    });
}

}  // namespace

Selection search_samples(const Dataset& data, const TargetCiTest& test, const SelectOptions& resolved,
                         const SearchHooks& hooks, const FinishedWork& finished) {
  const SearchOptions& search = resolved.search;
  FeatureFacts facts = facts_of(data, resolved);
  PairCandidates together = pair_candidates(data, resolved, hooks, finished);
  facts.pairs = std::move(together.pairs);
  Selection selection;
  selection.target = summarise(data);
  selection.samples = data.samples();
  selection.blanket = find_blanket(test, search, facts, hooks);
  if (!together.note.empty()) selection.blanket.notes.push_back(std::move(together.note));
  selection.method = text(resolved.method);
  selection.alpha = search.alpha;
  selection.min_cmi = search.min_cmi;
  selection.delta = search.delta;
  selection.no_children = search.no_children;
  selection.seed = resolved.test.seed;
  return selection;
}

Stability search_subsamples(const TestedSamples& samples, const std::vector<std::string>& members,
                            const SelectOptions& resolved, const SubsampleSearch& how, const SearchHooks& hooks) {
  const Dataset& data = samples.data;
  const StabilityOptions& options = resolved.stability;
  SelectOptions on_part = resolved;
  on_part.search.threads = on_part.test.threads = 1;
  // A part takes its share of the centres, too: else its tests would cost as much as those of all samples.
  if (data.samples() > resolved.test.centres)
    on_part.test.centres = static_cast<std::uint64_t>(
        options.share * static_cast<double>(std::min<std::uint64_t>(data.samples(), resolved.test.centres)));
  std::mutex one_at_a_time;
  const std::size_t subsamples = options.subsamples.value_or(StabilityOptions::light_subsamples);
  const std::size_t expected = how.tests_before + subsamples * (how.from ? how.from->tests() : how.tests_before);
  std::size_t finished = 0, tests = how.tests_before;
  bool stopped = false;
  const auto keep_going = [&](std::size_t candidates) {
    const std::lock_guard lock(one_at_a_time);
    const SearchProgress progress{fmt::format("stability, {} of {} subsamples", finished, subsamples), tests,
                                  std::max(expected, tests), std::max(expected, tests), candidates};
    stopped = stopped || (hooks.on_progress && !hooks.on_progress(progress));
    return !stopped;
  };
  const auto members_on = [&](std::span<const std::size_t> rows) {
    SearchHooks part_hooks;
    part_hooks.on_progress = [&](const SearchProgress& part) { return keep_going(part.candidates); };
    const Dataset part = take_samples(data, rows);
    const auto test = make_resolved_test(samples.on(part, rows), on_part, {});
    blanket::LightAnswer found;
    if (how.from != nullptr) {
      found = blanket::light_search(*test, on_part.search, facts_of(part, on_part), *how.from, part_hooks);
    } else {
      Blanket blanket = search_samples(part, *test, on_part, part_hooks).blanket;
      found = {std::move(blanket.members), blanket.tests};
    }
    const std::lock_guard lock(one_at_a_time);
    ++finished;
    tests += found.tests;
    return found.members;
  };
  const auto classes = data.target_is_categorical() ? std::span<const std::int32_t>(data.target.columns.front().codes)
                                                    : std::span<const std::int32_t>();
  const std::vector<std::int32_t> units = data.unit_numbers();
  const auto draw = [&](std::uint64_t index) {
    return data.one_series ? stretch_of_rows(data.samples(), options.share, resolved.test.seed, index)
                           : subsample_rows(data.samples(), classes, options.share, resolved.test.seed, index, units);
  };
  Stability stability =
      selection_frequencies(data.feature_names(), members, draw, options, how.threads, members_on, how.finished);
  stability.light = how.from != nullptr;
  if (how.from != nullptr) leave_to_their_members(*how.from, stability);
  return stability;
}

std::optional<blanket::KnownAnswer> light_stability_of(const Selection& selection, const SelectOptions& resolved) {
  constexpr double least_samples = 50;  // in a half: fewer find nothing, and everything would look doubtful
  constexpr double little_work = 2e6;   // samples times tests: seconds
  const Blanket& b = selection.blanket;
  const StabilityOptions& options = resolved.stability;
  const bool quick_method = resolved.method == Method::knn || resolved.method == Method::fisherz;
  if (options.subsamples || resolved.no_evidence || b.partial || b.members.empty() || !quick_method ||
      !resolved.search.asks_all_together() || resolved.search.no_children)
    return std::nullopt;
  const auto n = static_cast<double>(selection.samples);
  if (options.share * n < least_samples) return std::nullopt;
  std::size_t done = b.tests;
  for (const FeatureVerdict& f : b.features) done += f.measured.has_value();
  const double work_done = std::max(static_cast<double>(done) * n, little_work);
  const double work_of_a_test = options.share * n * static_cast<double>(StabilityOptions::light_subsamples);
  const auto tests_of_one = static_cast<std::size_t>(work_done / work_of_a_test);
  blanket::KnownAnswer answer = blanket::known_answer(b, tests_of_one);
  if (answer.tests() > tests_of_one) return std::nullopt;
  return answer;
}

namespace {

void check_stability(const Dataset& data, const StabilityOptions& options) {
  if (options.subsamples.value_or(0) == 0) return;
  const auto part = static_cast<std::size_t>(options.share * static_cast<double>(data.samples()));
  if (part < DatasetTest::few_samples)
    throw InputError(
        fmt::format("--stability: a subsample would have {} samples, at least {} are needed; raise --stability-share",
                    part, DatasetTest::few_samples));
}

}  // namespace
}  // namespace macmi::select

namespace macmi {

double uncertainty_share(const TargetSummary& target, double effect) {
  if (!(effect > 0)) return 0;
  if (!target.categorical) return -std::expm1(-2 * effect);
  return target.entropy > 0 ? std::min(1.0, effect / target.entropy) : 0;
}

std::size_t power_limit(Method method, std::size_t samples) {
  if (method == Method::fisherz) return samples / 4;
  constexpr std::size_t samples_a_column = 30;  // 15 columns at 500 samples: docs/citest.md, What is given
  const double few = std::max(3.0, std::floor(3 * std::log10(static_cast<double>(samples)) - 3));
  return std::max(static_cast<std::size_t>(few), samples / samples_a_column);
}

void check_selection(const Dataset& data, const SelectOptions& options) {
  select::expect_testable(data);
  select::check_stability(data, options.stability);
  select::check_interactions(data, options);
  const bool units = data.one_series || !data.unit_numbers().empty();
  expect_exchangeable(options.method, units);
  if (units && options.test.no_correlation)
    throw InputError("--no-correlation: tests of units need the covariance; leave it out with --unit or --time");
  if (units && wants_maps(data, resolved(options).maps))
    throw InputError(
        "--unit and --time: tests on learned feature maps do not allow for rows that belong together; "
        "--maps none tests features of several columns as they are");
  if (options.method == Method::hsic || options.method == Method::hsic_permutation)
    throw InputError(
        fmt::format("--method {} cannot condition on anything, which a search must: --method sdcit is its conditional "
                    "sister, and is "
                    "HSIC where nothing is given",
                    text(options.method)));
}

}  // namespace macmi
