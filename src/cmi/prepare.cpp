#include "cmi/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/number_of.hpp"
#include "base/parallel.hpp"
#include "base/vector/sort.hpp"
#include "cmi/dense_codes.hpp"
#include "macmi/error.hpp"

namespace macmi::estimation {
namespace {

std::string quoted(const std::string& name) {
  return name.empty() ? "a column" : fmt::format("column '{}'", name);
}

void check(const Variable& variable, const char* role, std::size_t n) {
  if (variable.samples() != n)
    throw InputError(fmt::format("{} has {} where x has {}", role, base::number_of(variable.samples(), "sample"), n));
  for (const NumericColumn& column : variable.numeric()) {
    double low = column[0], high = low;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = column[i];
      if (!std::isfinite(v))
        throw InputError(fmt::format("{} holds {} at sample {}; remove or fill such values first", quoted(column.name),
                                     std::isnan(v) ? "NaN" : "an infinity", i + 1));
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (!std::isfinite(high - low))
      throw InputError(
          fmt::format("{} spans more than a double can hold ({} to {}); rescale it", quoted(column.name), low, high));
  }
}

/// How many samples share their combination of categories with no other one.
std::size_t count_alone(const std::vector<CategoricalColumn>& all, std::size_t n) {
  std::vector<std::size_t> size(n);
  for (const std::int32_t code : dense_codes(all, n)) ++size[static_cast<std::size_t>(code)];
  return static_cast<std::size_t>(std::count(size.begin(), size.end(), std::size_t{1}));
}

/// Category c of m as m columns of zeros and ones: the max-norm between different categories is 1.
void append_one_hot(const CategoricalColumn& column, std::size_t n, std::vector<std::vector<double>>& out) {
  std::map<std::int32_t, std::vector<double>> indicators;
  for (std::size_t i = 0; i < n; ++i) indicators[column[i]].resize(n);
  for (std::size_t i = 0; i < n; ++i) indicators.at(column[i])[i] = 1;
  for (auto& [code, indicator] : indicators) out.push_back(std::move(indicator));
}

struct RepeatedValues {
  double share = 0;
  std::string column;
};

bool is_constant(const std::vector<double>& column) {
  return std::all_of(column.begin(), column.end(), [&](double v) { return v == column.front(); });
}

knn::Block prepare_block(const Variable& variable, const EstimateOptions& options, RepeatedValues& repeated) {
  knn::Block block;
  const std::size_t n = variable.samples();
  for (const NumericColumn& column : variable.numeric()) {
    std::vector<double> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i) values.push_back(column[i]);
    if (is_constant(values)) continue;  // says nothing, and would hide a scale or a tie
    if (const double share = share_of_repeated_values(values); share > repeated.share)
      repeated = {share, quoted(column.name)};
    block.columns.push_back(std::move(values));
  }
  apply_transform(block.columns, options.transform);
  if (options.categorical == CategoricalMetric::unit01) {
    for (const CategoricalColumn& column : variable.categorical()) {
      append_one_hot(column, n, block.columns);
      repeated = {1, quoted(column.name)};
    }
    return block;
  }
  block.category = dense_codes(variable.categorical(), n);
  return block;
}

bool says_nothing(const knn::Block& block) {
  return block.columns.empty() &&
         std::all_of(block.category.begin(), block.category.end(), [&](auto c) { return c == block.category[0]; });
}

void resolve_ties(TieRule asked, const RepeatedValues& repeated, PreparedSample& prepared) {
  const auto rule = [](TieRule r) { return r == TieRule::mixed ? "mixed" : "continuous"; };
  const knn::JointSample& sample = prepared.sample;
  if (sample.x.columns.empty() && sample.y.columns.empty() && sample.z.columns.empty()) {
    prepared.ties = TieRule::counts;  // every neighbour is at distance 0
    prepared.ties_reason = "plug-in value: there are only categories";
    return;
  }
  if (asked == TieRule::continuous || asked == TieRule::mixed) {
    prepared.ties = asked;
    prepared.ties_reason = fmt::format("{} rule, as asked", rule(asked));
    return;
  }
  prepared.ties = repeated.share > repeated_values_limit ? TieRule::mixed : TieRule::continuous;
  prepared.ties_reason = repeated.share == 0 ? fmt::format("{} rule: no repeated values", rule(prepared.ties))
                                             : fmt::format("{} rule: {:.2g}% of the values of {} repeat",
                                                           rule(prepared.ties), 100 * repeated.share, repeated.column);
}

}  // namespace

double share_of_repeated_values(std::vector<double> values) {
  if (values.empty()) return 0;
  base::sort_ascending(values);
  const std::size_t n = values.size();
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < n; ++i)
    repeated += (i > 0 && values[i - 1] == values[i]) || (i + 1 < n && values[i + 1] == values[i]);
  return static_cast<double>(repeated) / static_cast<double>(n);
}

PreparedSample prepare(const Variable& x, const Variable& y, const Variable& z, const EstimateOptions& options) {
  const std::size_t n = x.samples();
  if (x.empty() || y.empty()) throw InputError("both x and y need at least one column");
  if (n < 3) throw InputError(fmt::format("too few samples: {}, and at least 3 are needed", n));
  check(x, "x", n);
  check(y, "y", n);
  if (!z.empty()) check(z, "z", n);
  if (!(options.z_weight > 0) || !std::isfinite(options.z_weight))
    throw InputError("--z-weight must be a positive number");

  PreparedSample prepared;
  std::vector<CategoricalColumn> categories;
  if (options.categorical == CategoricalMetric::cells)
    for (const Variable* v : {&x, &y, &z})
      categories.insert(categories.end(), v->categorical().begin(), v->categorical().end());
  prepared.alone = count_alone(categories, n);
  prepared.rows.resize(n);
  std::iota(prepared.rows.begin(), prepared.rows.end(), std::size_t{0});
  prepared.sample.n = n;
  RepeatedValues in_x, in_y, in_z;
  base::run_together(options.threads, {[&] { prepared.sample.x = prepare_block(x, options, in_x); },
                                       [&] { prepared.sample.y = prepare_block(y, options, in_y); },
                                       [&] { prepared.sample.z = prepare_block(z, options, in_z); }});
  RepeatedValues repeated = in_x;
  for (const RepeatedValues& other : {in_y, in_z})
    if (other.share > repeated.share) repeated = other;
  if (options.z_weight != 1)
    for (auto& column : prepared.sample.z.columns)
      for (double& v : column) v *= options.z_weight;
  prepared.x_constant = says_nothing(prepared.sample.x);
  prepared.y_constant = says_nothing(prepared.sample.y);
  prepared.conditioned = !says_nothing(prepared.sample.z);
  resolve_ties(options.ties, repeated, prepared);
  return prepared;
}

}  // namespace macmi::estimation
