#include "baselines/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

using Columns = std::vector<std::vector<double>>;

void add_number(Columns& columns, const NumericColumn& column, std::size_t n) {
  std::vector<double> values(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = column[i];
    if (!std::isfinite(values[i]))
      throw InputError(
          fmt::format("column '{}' has a value that is not a finite number: drop or impute it", column.name));
    largest = std::max(largest, std::abs(values[i]));
  }
  if (!(largest > 0)) return;
  for (double& v : values) v /= largest;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
  double square = 0;
  for (double& v : values) v -= mean, square += v * v;
  const double sd = std::sqrt(square / static_cast<double>(n));
  if (sd <= 1e-14) return;
  for (double& v : values) v /= sd;
  columns.push_back(std::move(values));
}

void add_indicators(Columns& columns, const CategoricalColumn& column, std::size_t n) {
  std::map<std::int32_t, std::size_t> place;
  for (std::size_t i = 0; i < n; ++i) place.emplace(column[i], 0);
  if (place.size() < 2) return;
  if (place.size() > 200)
    throw InputError(fmt::format("column '{}' has {} categories: too many for a kernel or a tree; exclude it",
                                 column.name, place.size()));
  for (auto& [code, index] : place) {
    index = columns.size();
    columns.emplace_back(n, 0.0);
  }
  for (std::size_t i = 0; i < n; ++i) columns[place[column[i]]][i] = std::sqrt(0.5);
}

std::string name_of(const std::string& given, const Variable& variable) {
  if (!given.empty()) return given;
  std::string names;
  for (const NumericColumn& column : variable.numeric()) names += column.name + ",";
  for (const CategoricalColumn& column : variable.categorical()) names += column.name + ",";
  return names;
}

}  // namespace

Points standardised_points(const Variable& variable) {
  const std::size_t n = variable.samples();
  Columns columns;
  for (const NumericColumn& column : variable.numeric()) add_number(columns, column, n);
  for (const CategoricalColumn& column : variable.categorical()) add_indicators(columns, column, n);
  Points points{n, columns.size(), std::vector<double>(n * columns.size())};
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 0; i < n; ++i) points.values[i * points.d + c] = columns[c][i];
  return points;
}

double squared_distance(const Points& points, std::size_t i, std::size_t j) {
  const double *a = points.row(i), *b = points.row(j);
  double sum = 0;
  for (std::size_t c = 0; c < points.d; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

void check_samples(std::string_view method, const Variable& x, const Variable& y, const Variable& z,
                   const TestContext& context, std::size_t least) {
  if (x.empty() || y.empty()) throw InputError("x and y need at least one column each");
  if (x.samples() != y.samples() || (!z.empty() && z.samples() != x.samples()))
    throw InputError("x, y and z must have the same number of samples");
  if (x.samples() < least)
    throw InputError(
        fmt::format("--method {}: too few samples: {}, and at least {} are needed", method, x.samples(), least));
  if (!context.folds.empty())
    throw InputError(
        fmt::format("--method {} does not know folds, whose maps are not comparable: learn one set of maps (--folds "
                    "1), or test the "
                    "features as they are (--maps none)",
                    method));
}

base::StreamKey stream_of(std::string_view method, const Variable& x, const Variable& y, const Variable& z,
                          const TestOptions& options, const TestContext& context) {
  base::StreamKey key =
      base::StreamKey(options.seed).with(method).with(name_of(context.x, x)).with(name_of(context.y, y));
  std::vector<std::string> given = context.z;
  if (given.empty() && !z.empty()) given.push_back(name_of({}, z));
  std::sort(given.begin(), given.end());
  for (const std::string& name : given) key = key.with(name);
  return key;
}

std::vector<std::uint32_t> shuffled_order(std::size_t n, base::RandomStream& random) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

void judge(CiResult& result, const std::vector<double>& null) {
  const auto count = static_cast<double>(null.size());
  result.permutations = null.size();
  result.exceedances = static_cast<std::size_t>(
      std::count_if(null.begin(), null.end(), [&](double value) { return value >= result.statistic; }));
  result.p_value = (1.0 + static_cast<double>(result.exceedances)) / (1.0 + count);
  result.null_mean = std::accumulate(null.begin(), null.end(), 0.0) / count;
  double square = 0;
  for (const double value : null) square += (value - result.null_mean) * (value - result.null_mean);
  result.null_sd = std::sqrt(square / std::max(1.0, count - 1));
  result.effect = result.statistic - result.null_mean;
  result.z_score = result.null_sd > 0 ? result.effect / result.null_sd : 0;
  result.stopped = "all were drawn";
}

CiResult constant_result(std::string_view method, std::size_t n, std::string_view which) {
  CiResult result;
  result.n = n;
  result.rule = method;
  result.notes.push_back(fmt::format("{} is constant: nothing can depend on it", which));
  return result;
}

}  // namespace macmi::baselines
