#include "select/dataset_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include "base/number_of.hpp"

namespace macmi::select {
namespace {

/// Of what maps know about the target, the share that they may have lost (docs/maps.md): a feature that tells no more
/// than this about what is given may be telling what the maps of the given ones forgot.
constexpr double lost_share = 0.002;

CiResult not_made(std::size_t n, std::string why) {
  CiResult result;
  result.n = n;
  result.p_value = result.effect = result.statistic = std::numeric_limits<double>::quiet_NaN();
  result.notes.push_back(std::move(why));
  return result;
}

CiResult nothing_to_find(std::size_t n, std::string why) {
  CiResult result;
  result.n = n;
  result.notes.push_back(std::move(why));
  return result;
}

}  // namespace

DatasetTest::DatasetTest(PreparedSamples samples, VariableTest test, DecideAgain again)
    : prepared_(std::move(samples)), test_(std::move(test)), again_(std::move(again)) {}

std::optional<CiResult> DatasetTest::decided(const CiResult& earlier) const {
  return again_ ? again_(earlier) : std::nullopt;
}

CiResult DatasetTest::test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const {
  if (std::optional<CiResult> known = decided(earlier)) return *std::move(known);
  return make(x, given, &earlier);
}

CiResult DatasetTest::make(std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const {
  const Part& part = prepared_.features[x];
  if (part.constant) return nothing_to_find(prepared_.samples, "the feature is constant");
  return make(part, prepared_.target, given, ask_surrogate(x, given), earlier);
}

CiResult DatasetTest::between(std::size_t a, std::size_t b, std::span<const std::size_t> given,
                              const CiResult* earlier) const {
  if (earlier != nullptr)
    if (std::optional<CiResult> known = decided(*earlier)) return *std::move(known);
  const Part *x = &prepared_.features[a], *y = &prepared_.features[b];
  if (x->constant || y->constant) return nothing_to_find(prepared_.samples, "one of the two is constant");
  if (y->content < x->content) std::swap(x, y);
  return make(*x, *y, given, {}, earlier);
}

CiResult DatasetTest::make(const Part& x, const Part& y, std::span<const std::size_t> given, const Surrogate& surrogate,
                           const CiResult* earlier) const {
  std::vector<const Part*> conditions;
  for (const std::size_t feature : given) conditions.push_back(&prepared_.features[feature]);
  std::sort(conditions.begin(), conditions.end(), [](const Part* a, const Part* b) { return a->content < b->content; });

  std::vector<const Part*> needed = conditions;
  needed.insert(needed.end(), {&x, &y});
  std::erase_if(needed, [](const Part* part) { return part->complete.empty(); });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < prepared_.samples; ++i)
    if (std::all_of(needed.begin(), needed.end(), [&](const Part* part) { return part->complete[i]; }))
      rows.push_back(i);
  if (rows.size() < least_samples)
    return not_made(rows.size(), fmt::format("not tested: only {} with a value in all it needs",
                                             base::number_of(rows.size(), "sample")));
  return test_rows(x, y, conditions, rows, surrogate, earlier);
}

DatasetTest::Surrogate DatasetTest::ask_surrogate(std::size_t x, std::span<const std::size_t> given) const {
  if (!prepared_.scores) return {};
  const std::span<const std::int32_t> classes(prepared_.target.variable.categorical().front().data, prepared_.samples);
  // A surrogate that never saw so many features at once may know less of them together than of one.
  double gain = prepared_.scores->gain(given, classes);
  for (const std::size_t feature : given) gain = std::max(gain, prepared_.scores->gain(std::array{feature}, classes));
  return {prepared_.scores->score(x, given), given.empty() ? 0 : lost_share * std::max(0.0, gain)};
}

CiResult DatasetTest::test_rows(const Part& x, const Part& y, const std::vector<const Part*>& given,
                                const std::vector<std::size_t>& rows, const Surrogate& surrogate,
                                const CiResult* earlier) const {
  const bool all = rows.size() == prepared_.samples;
  TestContext context;
  context.x = x.content;
  context.y = y.content;
  context.earlier = earlier;
  Variable z;
  std::vector<RowCopy> copies;
  copies.reserve(given.size() + 2);
  const auto on_rows = [&](const Part& part) -> const Variable& {
    if (all) return part.variable;
    copies.emplace_back(part.variable, rows);
    return copies.back().variable();
  };
  for (const Part* part : given) {
    const Variable& variable = on_rows(*part);
    if (!varies(variable)) continue;
    z.add(variable);
    context.z.push_back(part->content);
  }
  const Variable &x_rows = on_rows(x), &y_rows = on_rows(y);
  if (!varies(x_rows) || !varies(y_rows))
    return not_made(rows.size(),
                    fmt::format("not tested: {} is constant in the {} samples that have a value in all it needs",
                                varies(x_rows) ? "the target" : "the feature", rows.size()));
  std::vector<std::int32_t> folds;
  if (!all && !prepared_.folds.empty())
    for (const std::size_t i : rows) folds.push_back(prepared_.folds[i]);
  const std::vector<std::int32_t> units = prepared_.units_on(rows);
  context.folds = all ? std::span<const std::int32_t>(prepared_.folds) : folds;
  context.units = units;
  context.one_series = prepared_.one_series;
  std::vector<double> score_on_rows;
  if (!all && !surrogate.score.empty())
    for (const std::size_t i : rows) score_on_rows.push_back(surrogate.score[i]);
  context.score = all ? std::span<const double>(surrogate.score) : score_on_rows;
  context.tolerance = surrogate.tolerance;
  CiResult result = test_(x_rows, y_rows, z, context);
  const std::string note = fmt::format("{} of {} samples have a value in all it needs", rows.size(), prepared_.samples);
  if (!all && std::count(result.notes.begin(), result.notes.end(), note) == 0) result.notes.push_back(note);
  return result;
}

}  // namespace macmi::select
