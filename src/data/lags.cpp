#include "data/lags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "macmi/error.hpp"

namespace macmi::data {
namespace {

constexpr std::size_t stretches = 50, most_lag = 1000;

/// One of the numbers that `lags` is made of.
std::size_t number(const std::string& text, const std::string& lags) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > most_lag)
    throw InputError(fmt::format("--lags '{}': give how many rows before, as 1 or 1..5", lags));
  return value;
}

/// For each sample the one so many rows before it in its unit, or -1.
std::vector<std::ptrdiff_t> samples_before(const Dataset& data, std::size_t lag) {
  std::map<std::string, std::vector<std::size_t>> rows_of;
  for (std::size_t i = 0; i < data.samples(); ++i) rows_of[data.one_series ? "" : data.units[i]].push_back(i);
  std::vector<std::ptrdiff_t> before(data.samples(), -1);
  for (const auto& [unit, rows] : rows_of)
    for (std::size_t j = lag; j < rows.size(); ++j) before[rows[j]] = static_cast<std::ptrdiff_t>(rows[j - lag]);
  return before;
}

Feature lagged(const Feature& feature, std::size_t lag, const std::vector<std::ptrdiff_t>& before) {
  const DataColumn& from = feature.columns.front();
  Feature made{fmt::format("{}@-{}", feature.name, lag), 1, 1, {}};
  DataColumn& column = made.columns.emplace_back();
  column.name = made.name;
  column.type = from.type;
  for (const std::ptrdiff_t row : before) {
    const double value =
        row < 0 ? std::numeric_limits<double>::quiet_NaN() : from.values[static_cast<std::size_t>(row)];
    column.values.push_back(value);
    column.missing.push_back(std::isnan(value) ? 1 : 0);
  }
  return made;
}

}  // namespace

void say_what_belongs_together(Dataset& data, const DataOptions& options) {
  const std::size_t n = data.samples();
  if (data.one_series) {
    const std::size_t parts = std::min(n, stretches);
    for (std::size_t i = 0; i < n; ++i) data.units.push_back(fmt::format("stretch {}", i * parts / n + 1));
    data.health.remarks.push_back(fmt::format(
        "rows are one series in the order of --time {}: tests allow for values that follow each other", options.time));
  }
  if (options.unit.empty()) return;
  const std::size_t units = std::set<std::string>(data.units.begin(), data.units.end()).size();
  if (units < 2)
    throw InputError(
        fmt::format("{}: --unit {} has one value alone; rows of one unit are a series: name the column that "
                    "orders them with --time in its place",
                    data.source, options.unit));
  data.health.remarks.push_back(
      units == n ? fmt::format("--unit {}: every row is a unit of its own", options.unit)
                 : fmt::format("{} rows of {} units (--unit {}): tests, parts and subsamples keep units whole", n,
                               units, options.unit));
}

void add_lags(Dataset& data, const std::string& lags) {
  const std::size_t dots = lags.find("..");
  const std::size_t first = number(lags.substr(0, dots), lags);
  const std::size_t last = dots == std::string::npos ? first : number(lags.substr(dots + 2), lags);
  if (last < first) throw InputError(fmt::format("--lags '{}': the first number is the smaller one, as in 1..5", lags));
  std::vector<Feature> all;
  for (Feature& feature : data.features) {
    const bool number = feature.columns.size() == 1 && !feature.columns.front().is_categorical();
    all.push_back(std::move(feature));
    for (std::size_t lag = first; number && lag <= last; ++lag) {
      const Feature& from = all[all.size() - 1 - (lag - first)];
      all.push_back(lagged(from, lag, samples_before(data, lag)));
    }
  }
  data.features = std::move(all);
}

}  // namespace macmi::data
