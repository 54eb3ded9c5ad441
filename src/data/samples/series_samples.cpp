#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/columns/number_text.hpp"
#include "data/samples/samples.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

struct Moment {
  double time = 0;
  std::size_t row = 0;
};

struct Unit {
  std::string name;
  std::vector<Moment> moments;
};

/// A time as the user wrote it.
std::string time_text(const TableColumn& time, std::size_t row) {
  return time.is_text() ? time.labels[time.codes[row]] : fmt::format("{}", time.values[row]);
}

std::vector<double> times(const TableColumn& time, const std::string& source) {
  std::vector<double> result;
  if (!time.is_text()) result = time.values;
  std::vector<double> label_times;
  for (const std::string& label : time.labels) {
    const std::optional<double> number = parse_number_text(label);
    const std::optional<double> parsed = number ? number : parse_time_text(label);
    if (!parsed)
      throw InputError(
          fmt::format("{}: --time {}: '{}' is neither a number nor a date (2018-01-31, 2018-01-31 12:30:00)", source,
                      time.name, label));
    label_times.push_back(*parsed);
  }
  for (const std::int32_t code : time.codes) result.push_back(code < 0 ? std::nan("") : label_times[code]);
  for (std::size_t r = 0; r < result.size(); ++r)
    if (!std::isfinite(result[r]))
      throw InputError(fmt::format("{}: --time {} has no value in row {}", source, time.name, r + 1));
  return result;
}

std::string unit_text(const TableColumn& id, std::size_t row) {
  return id.is_text() ? id.labels[id.codes[row]] : fmt::format("{}", id.values[row]);
}

/// Units in order of first appearance.
std::vector<Unit> collect(const TableColumn& id, const TableColumn& time, const std::string& source) {
  const std::vector<double> when = times(time, source);
  std::vector<Unit> units;
  std::unordered_map<double, std::size_t> number_place;
  std::vector<std::size_t> label_place(id.labels.size(), std::size_t(-1));
  for (std::size_t r = 0; r < when.size(); ++r) {
    if (id.is_text() ? id.codes[r] < 0 : std::isnan(id.values[r]))
      throw InputError(fmt::format("{}: --id {} has no value in row {}", source, id.name, r + 1));
    std::size_t& place =
        id.is_text() ? label_place[id.codes[r]] : number_place.emplace(id.values[r], std::size_t(-1)).first->second;
    if (place == std::size_t(-1)) {
      place = units.size();
      units.push_back({unit_text(id, r), {}});
    }
    units[place].moments.push_back({when[r], r});
  }
  for (Unit& unit : units)
    std::stable_sort(unit.moments.begin(), unit.moments.end(),
                     [](const Moment& a, const Moment& b) { return a.time < b.time; });
  return units;
}

/// The smallest distance between two times of a unit. Throws when two are equal.
double smallest_step(const std::vector<Unit>& units, const TableColumn& time, const std::string& source) {
  double step = 0;
  for (const Unit& unit : units)
    for (std::size_t m = 1; m < unit.moments.size(); ++m) {
      const Moment &before = unit.moments[m - 1], &after = unit.moments[m];
      const double distance = after.time - before.time;
      if (distance == 0)
        throw InputError(
            fmt::format("{}: unit '{}' has two rows at {} {} (rows {} and {}); keep one row per unit and time", source,
                        unit.name, time.name, time_text(time, after.row), before.row + 1, after.row + 1));
      if (step == 0 || distance < step) step = distance;
    }
  return step == 0 ? 1 : step;
}

/// How many grid steps lie between two times. Throws when they are not on one grid.
std::size_t grid_steps(const Unit& unit, const Moment& from, const Moment& to, double step, const TableColumn& time,
                       const std::string& source) {
  const double steps = (to.time - from.time) / step;
  if (std::fabs(steps - std::round(steps)) > 1e-3)
    throw InputError(fmt::format(
        "{}: the times of unit '{}' are irregular: {} follows {} (rows {} and {}), which is {:.4g} times the "
        "smallest step of the file; bring the rows to equal steps first",
        source, unit.name, time_text(time, to.row), time_text(time, from.row), from.row + 1, to.row + 1, steps));
  return static_cast<std::size_t>(std::llround(steps));
}

}  // namespace

Samples rows_in_time_order(const TableColumn& time, bool one_series, const std::string& source) {
  const std::vector<double> when = times(time, source);
  Samples samples = rows_as_samples(when.size());
  std::stable_sort(samples.rows.begin(), samples.rows.end(), [&](auto a, auto b) { return when[a] < when[b]; });
  for (std::size_t s = 1; one_series && s < samples.rows.size(); ++s) {
    const auto before = static_cast<std::size_t>(samples.rows[s - 1]), row = static_cast<std::size_t>(samples.rows[s]);
    if (when[before] == when[row])
      throw InputError(
          fmt::format("{}: two rows at {} {} (rows {} and {}); keep one row per time, or say with --unit "
                      "whose they are",
                      source, time.name, time_text(time, row), before + 1, row + 1));
  }
  return samples;
}

std::vector<std::string> units_of_rows(const TableColumn& unit, const std::string& source) {
  std::vector<std::string> units;
  const std::size_t rows = unit.is_text() ? unit.codes.size() : unit.values.size();
  for (std::size_t r = 0; r < rows; ++r) {
    if (unit.is_text() ? unit.codes[r] < 0 : std::isnan(unit.values[r]))
      throw InputError(fmt::format("{}: --unit {} has no value in row {}", source, unit.name, r + 1));
    units.push_back(unit_text(unit, r));
  }
  return units;
}

Samples series_as_samples(const TableColumn& id, const TableColumn& time, std::size_t window, const std::string& source,
                          DataHealth& health) {
  const std::vector<Unit> units = collect(id, time, source);
  const double step = smallest_step(units, time, source);
  std::vector<std::vector<std::size_t>> back(units.size());  // grid steps before the unit's last row, per moment
  std::size_t shortest = std::size_t(-1), longest = 0;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::vector<Moment>& moments = units[u].moments;
    back[u].resize(moments.size());
    for (std::size_t m = moments.size() - 1; m-- > 0;)
      back[u][m] = back[u][m + 1] + grid_steps(units[u], moments[m], moments[m + 1], step, time, source);
    shortest = std::min(shortest, back[u][0] + 1);
    longest = std::max(longest, back[u][0] + 1);
  }
  if (window == 0 && shortest != longest)
    throw InputError(
        fmt::format("{}: the units have {} to {} time steps; say how many of the last ones to use: --window T "
                    "(units with fewer are left out)",
                    source, shortest, longest));
  if (window > longest)
    throw InputError(
        fmt::format("{}: --window {} is longer than every unit's series ({} steps at most)", source, window, longest));
  Samples samples;
  samples.steps = window == 0 ? longest : window;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (back[u][0] + 1 < samples.steps) {
      ++health.short_units;
      continue;
    }
    samples.units.push_back(units[u].name);
    samples.rows.resize(samples.rows.size() + samples.steps, -1);
    std::size_t present = 0;
    for (std::size_t m = 0; m < back[u].size(); ++m)
      if (back[u][m] < samples.steps) {
        samples.rows[samples.rows.size() - 1 - back[u][m]] = static_cast<std::int64_t>(units[u].moments[m].row);
        ++present;
      }
    health.units_with_gaps += present < samples.steps;
    health.missing_steps += samples.steps - present;
  }
  return samples;
}

}  // namespace macmi::data
