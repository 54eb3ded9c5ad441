#include "select/dataset_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "cmi/prepare.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

/// What is in the columns of a feature, in one number per column.
std::uint64_t content_of(const NumericColumn& column, std::size_t n) {
  StreamKey key(1);
  for (std::size_t i = 0; i < n; ++i) key = key.with(std::bit_cast<std::uint64_t>(column[i]));
  return key.value();
}

std::uint64_t content_of(const CategoricalColumn& column, std::size_t n) {
  StreamKey key(2);
  for (std::size_t i = 0; i < n; ++i) key = key.with(static_cast<std::uint64_t>(static_cast<std::uint32_t>(column[i])));
  return key.value();
}

bool present(double value) { return !std::isnan(value); }
bool present(std::int32_t code) { return code >= 0; }

template <class Column>
bool varies(const Column& column, std::size_t n) {
  std::size_t first = 0;
  while (first < n && !present(column[first])) ++first;
  for (std::size_t i = first; i < n; ++i)
    if (present(column[i]) && column[i] != column[first]) return true;
  return false;
}

bool varies(const Variable& v) {
  const auto column_varies = [&](const auto& column) { return varies(column, v.samples()); };
  return std::any_of(v.numeric().begin(), v.numeric().end(), column_varies) ||
         std::any_of(v.categorical().begin(), v.categorical().end(), column_varies);
}

/// Columns in the order of their contents, named by them.
template <class Column>
void add_in_order(const std::vector<Column>& columns, std::size_t n, Variable& v, std::vector<std::uint64_t>& contents) {
  std::vector<std::pair<std::uint64_t, const Column*>> order;
  for (const Column& column : columns) order.emplace_back(content_of(column, n), &column);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [content, column] : order) {
    v.add(*column, n);
    contents.push_back(content);
  }
}

/// The present values of all columns on one scale, their common root mean square deviation.
std::vector<std::vector<double>> scaled_together(const std::vector<NumericColumn>& columns, std::size_t n) {
  std::vector<std::vector<double>> values(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 0; i < n; ++i)
      if (present(columns[c][i])) values[c].push_back(columns[c][i]);
  std::erase_if(values, [](const auto& column) { return column.empty(); });
  if (!values.empty()) apply_transform(values, Transform::block);
  std::vector<std::vector<double>> all;
  for (std::size_t c = 0, kept = 0; c < columns.size(); ++c) {
    std::vector<double> column(n, std::numeric_limits<double>::quiet_NaN());
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (present(columns[c][i])) column[i] = values[kept][next++];
    kept += next > 0;
    all.push_back(std::move(column));
  }
  return all;
}

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

DatasetTest::DatasetTest(const Dataset& data, VariableTest test, bool equal_scales, DecideAgain again,
                         std::vector<std::int32_t> folds)
    : samples_(data.samples()),
      names_(data.feature_names()),
      target_(prepare(data.target, equal_scales)),
      test_(std::move(test)),
      again_(std::move(again)),
      folds_(std::move(folds)) {
  for (const Feature& feature : data.features) parts_.push_back(prepare(feature, equal_scales));
}

DatasetTest::Part DatasetTest::prepare(const Feature& feature, bool equal_scales) {
  const Variable as_read = view(feature);
  const std::size_t n = as_read.samples();
  Part part;
  Variable ordered;
  std::vector<std::uint64_t> contents;
  add_in_order(as_read.numeric(), n, ordered, contents);
  add_in_order(as_read.categorical(), n, ordered, contents);
  StreamKey key(3);
  for (const std::uint64_t content : contents) key = key.with(content);
  part.content = fmt::format("{:016x}", key.value());
  part.constant = !varies(ordered);
  for (std::size_t i = 0; i < n; ++i) {
    bool complete = true;
    for (const auto& column : ordered.numeric()) complete = complete && present(column[i]);
    for (const auto& column : ordered.categorical()) complete = complete && present(column[i]);
    if (!complete && part.complete.empty()) part.complete.assign(n, true);
    if (!complete) part.complete[i] = false;
  }
  if (!equal_scales) {
    part.variable = std::move(ordered);
    return part;
  }
  part.scaled = scaled_together(ordered.numeric(), n);
  for (std::size_t c = 0; c < part.scaled.size(); ++c)
    part.variable.add(NumericColumn{part.scaled[c].data(), 1, ordered.numeric()[c].name}, n);
  for (const CategoricalColumn& column : ordered.categorical()) part.variable.add(column, n);
  return part;
}

CiResult DatasetTest::test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const {
  if (again_)
    if (std::optional<CiResult> known = again_(earlier)) return *std::move(known);
  return make(x, given, &earlier);
}

CiResult DatasetTest::make(std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const {
  std::vector<const Part*> conditions;
  for (const std::size_t feature : given) conditions.push_back(&parts_[feature]);
  std::sort(conditions.begin(), conditions.end(), [](const Part* a, const Part* b) { return a->content < b->content; });
  if (parts_[x].constant) return nothing_to_find(samples_, "the feature is constant");

  std::vector<const Part*> needed = conditions;
  needed.insert(needed.end(), {&parts_[x], &target_});
  std::erase_if(needed, [](const Part* part) { return part->complete.empty(); });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < samples_; ++i)
    if (std::all_of(needed.begin(), needed.end(), [&](const Part* part) { return part->complete[i]; })) rows.push_back(i);
  if (rows.size() < least_samples)
    return not_made(rows.size(), fmt::format("not tested: only {} samples have a value in all it needs", rows.size()));
  return test_rows(parts_[x], conditions, rows, earlier);
}

CiResult DatasetTest::test_rows(const Part& x, const std::vector<const Part*>& given, const std::vector<std::size_t>& rows,
                                const CiResult* earlier) const {
  const bool all = rows.size() == samples_;
  TestContext context;
  context.x = x.content;
  context.y = target_.content;
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
  const Variable &x_rows = on_rows(x), &y_rows = on_rows(target_);
  if (!varies(x_rows) || !varies(y_rows))
    return not_made(rows.size(), fmt::format("not tested: {} is constant in the {} samples that have a value in all it needs",
                                             varies(x_rows) ? "the target" : "the feature", rows.size()));
  std::vector<std::int32_t> folds;
  if (!all && !folds_.empty())
    for (const std::size_t i : rows) folds.push_back(folds_[i]);
  context.folds = all ? std::span<const std::int32_t>(folds_) : folds;
  CiResult result = test_(x_rows, y_rows, z, context);
  const std::string note = fmt::format("{} of {} samples have a value in all it needs", rows.size(), samples_);
  if (!all && std::count(result.notes.begin(), result.notes.end(), note) == 0) result.notes.push_back(note);
  return result;
}

}  // namespace macmi
