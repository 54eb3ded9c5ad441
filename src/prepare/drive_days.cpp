#include "prepare/drive_days.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/number_of.hpp"
#include "data/tables/sql_errors.hpp"
#include "data/tables/sql_files.hpp"
#include "macmi/error.hpp"

namespace macmi::prepare {
namespace {

/// No drive has run for 60 years, and none reports from a room below 8 °C or above 90 °C. A single row may still be out
/// of range (a sensor, a counter that wrapped around); a file where more than one in a hundred is has shifted columns.
constexpr double most_hours = 60 * 8766.0, coldest = 8, hottest = 90, tolerated_share = 0.01;
/// Spreadsheets keep six digits of large numbers. By chance one number in a million ends with six zeros.
constexpr double large = 1e9, rounded_to = 1e6, tolerated_rounded = 0.001;

/// Turns DuckDB's complaint about a file into one about the user's file.
template <class Work>
auto explained(const data::DataFile& file, const std::vector<std::string>& names, Work&& work) {
  try {
    return work();
  } catch (const data::SqlError& error) {
    throw InputError(fmt::format("{}: {}", file.path, data::explain_csv_error(error.what(), file.path, names)));
  }
}

}  // namespace

std::string DriveDays::Header::column(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? "NULL" : fmt::format("k{}", at - names.begin());
}

DriveDays::DriveDays(const std::vector<data::DataFile>& files, const PrepareOptions& options,
                     data::DuckdbConnection& database)
    : files_(files), model_(options.model), database_(database) {
  std::vector<std::string> columns;
  for (const data::DataFile& file : files_) {
    if (file.kind != data::FileKind::csv) throw InputError(fmt::format("--input {}: not a CSV file", file.path));
    const data::CsvFiles csv({file});
    headers_.push_back({csv.relation(std::vector<bool>(csv.names().size(), true)), csv.names()});
    for (const char* needed : {"date", "serial_number", "model", "failure"})
      if (headers_.back().column(needed) == "NULL")
        throw InputError(
            fmt::format("--input {}: no column '{}', which every daily drive file has", file.path, needed));
    for (const std::string& name : csv.names())
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  }
  features_ = drive_features(options.attributes, columns);
  for (const DriveFeature& feature : features_) {
    const auto having = std::count_if(headers_.begin(), headers_.end(),
                                      [&](const Header& h) { return h.column(feature.column) != "NULL"; });
    if (having > 0 && having < static_cast<std::ptrdiff_t>(files_.size()))
      notes_.push_back(fmt::format("{} ({}) is in {} of {} files; elsewhere it has no value", feature.name,
                                   feature.column, having, files_.size()));
  }
  std::string fields;
  for (std::size_t f = 0; f < features_.size(); ++f) fields += fmt::format(", f{} DOUBLE", f);
  database_.run(
      fmt::format("CREATE TABLE days (file INTEGER, serial VARCHAR, day DATE, failure BOOLEAN, blank BOOLEAN, hours "
                  "DOUBLE, temperature DOUBLE{})",
                  fields));
}

void DriveDays::read(std::size_t file) {
  const Header& h = headers_[file];
  const auto number = [&](const std::string& column) {
    return h.column(column) == "NULL" ? std::string("CAST(NULL AS DOUBLE)")
                                      : fmt::format("CAST({} AS DOUBLE)", h.column(column));
  };
  std::vector<std::string> smart, fields;
  for (const std::string& name : h.names)
    if (name.starts_with("smart_")) smart.push_back(h.column(name));
  for (const DriveFeature& feature : features_) fields.push_back(part_sql(feature, number(feature.column)));
  const std::string blank = smart.empty() ? "true" : fmt::format("coalesce({}) IS NULL", fmt::join(smart, ", "));
  explained(files_[file], h.names, [&] {
    return database_.run(fmt::format(
        "INSERT INTO days SELECT {}, trim({}), TRY_CAST(replace(trim({}), '/', '-') AS DATE), coalesce(CAST({} AS "
        "DOUBLE), 0) <> 0, {}, {}, {}, {} "
        "FROM {} WHERE trim({}) = {}",
        file, h.column("serial_number"), h.column("date"), h.column("failure"), blank, number("smart_9_raw"),
        number("smart_194_raw"), fmt::join(fields, ", "), h.relation, h.column("model"), data::sql_string(model_)));
  });
  const std::vector<double> counts =
      one_row(fmt::format("CAST(count(*) AS DOUBLE), CAST(count(*) FILTER (day IS NULL) AS DOUBLE), CAST(count(*) "
                          "FILTER (serial IS NULL OR serial = '') AS DOUBLE) "
                          "FROM days WHERE file = {}",
                          file));
  if (counts[1] > 0)
    throw InputError(fmt::format("{}: {} with a date that is none (2018-01-31 and 2018/1/31 are understood)",
                                 files_[file].path, base::number_of(static_cast<std::size_t>(counts[1]), "row")));
  if (counts[2] > 0)
    throw InputError(fmt::format("{}: {} without a serial number", files_[file].path,
                                 base::number_of(static_cast<std::size_t>(counts[2]), "row")));
  rows_ += static_cast<std::size_t>(counts[0]);
  check_plausible(file);
  check_rounding(file);
}

std::vector<double> DriveDays::one_row(const std::string& sql) {
  std::vector<double> values;
  std::size_t width = 0;
  const auto take = [&](const data::ResultChunk& chunk) {
    for (std::size_t c = 0; chunk.rows() > 0 && c < width; ++c)
      values.push_back(chunk.column(c).is_null(0) ? std::nan("") : chunk.column(c).numbers()[0]);
  };
  database_.run(fmt::format("DESCRIBE SELECT {}", sql), [&](const data::ResultChunk& chunk) { width += chunk.rows(); });
  database_.run("SELECT " + sql, take);
  return values;
}

/// A header that does not fit its rows puts other numbers under hours and temperature. Such a file is refused: nothing
/// read from it would mean what its name says.
void DriveDays::check_plausible(std::size_t file) {
  struct Check {
    const char* column;
    const char* name;
    double low, high;
    const char* what;
  };
  for (const Check& check : {Check{"hours", "smart_9_raw", 0, most_hours, "power-on hours"},
                             Check{"temperature", "smart_194_raw", coldest, hottest, "degrees Celsius"}}) {
    const std::string wrong = fmt::format("({0} < {1} OR {0} > {2})", check.column, check.low, check.high);
    const std::vector<double> found =
        one_row(fmt::format("CAST(count({0}) AS DOUBLE), CAST(count(*) FILTER {1} AS DOUBLE), CAST(date_diff('day', "
                            "DATE '1970-01-01', min(day) FILTER {1}) AS DOUBLE), min({0}) FILTER {1} "
                            "FROM days WHERE file = {2}",
                            check.column, wrong, file));
    if (found[1] < 2 || found[1] <= tolerated_share * found[0]) continue;
    std::string date;
    database_.run(fmt::format("SELECT CAST(DATE '1970-01-01' + {} AS VARCHAR)", static_cast<long>(found[2])),
                  [&](const data::ResultChunk& chunk) { date = chunk.column(0).text(0); });
    throw InputError(
        fmt::format("{}: {} of {} rows of {} have impossible {} in {} (the first on {}, {:g}): the header does not fit "
                    "the columns; get the file again, "
                    "or leave it out",
                    files_[file].path, found[1], found[0], model_, check.what, check.name, date, found[3]));
  }
}

void DriveDays::check_rounding(std::size_t file) {
  std::vector<std::string> counts;
  for (std::size_t f = 0; f < features_.size(); ++f)
    counts.push_back(
        fmt::format("CAST(count(*) FILTER (f{0} >= {1}) AS DOUBLE), CAST(count(*) FILTER (f{0} >= {1} AND f{0} % {2} = "
                    "0) AS DOUBLE)",
                    f, large, rounded_to));
  const std::vector<double> found = one_row(fmt::format("{} FROM days WHERE file = {}", fmt::join(counts, ", "), file));
  for (std::size_t f = 0; f < features_.size(); ++f)
    if (found[2 * f + 1] >= 3 && found[2 * f + 1] > tolerated_rounded * found[2 * f])
      notes_.push_back(
          fmt::format("{}: {} of {} large numbers in {} are rounded to millions or more, as spreadsheets do; "
                      "differences from day to day are wrong there",
                      files_[file].path, found[2 * f + 1], found[2 * f], features_[f].column));
}

std::vector<ObservedUnit> DriveDays::drives(PrepareReport& report) {
  std::vector<ObservedUnit> units;
  std::vector<DaySet> seen;
  std::unordered_map<std::string, std::size_t> place;
  database_.run(
      "SELECT serial, CAST(date_diff('day', DATE '1970-01-01', day) AS DOUBLE), CAST(failure AS DOUBLE), CAST(blank AS "
      "DOUBLE) FROM days",
      [&](const data::ResultChunk& chunk) {
        const data::ChunkColumn serial = chunk.column(0), day = chunk.column(1), failure = chunk.column(2),
                                blank = chunk.column(3);
        for (std::size_t r = 0; r < chunk.rows(); ++r) {
          const auto [at, added] = place.emplace(std::string(serial.text(r)), units.size());
          if (added) {
            units.push_back({at->first, {}, INT32_MIN, {}});
            seen.emplace_back();
          }
          ObservedUnit& unit = units[at->second];
          const auto today = static_cast<std::int32_t>(day.numbers()[r]);
          report.duplicates += !seen[at->second].add(today);
          report.blank += blank.numbers()[r] != 0;
          if (blank.numbers()[r] == 0) unit.complete.add(today);
          unit.last_seen = std::max(unit.last_seen, today);
          if (failure.numbers()[r] != 0) unit.event = std::min(unit.event.value_or(today), today);
        }
      });
  std::sort(units.begin(), units.end(), [](const ObservedUnit& a, const ObservedUnit& b) { return a.name < b.name; });
  return units;
}

std::vector<std::string> DriveDays::notes() const {
  return notes_;
}

std::string DriveDays::models_there() const {
  std::vector<std::string> models;
  database_.run(fmt::format("SELECT trim({0}) FROM {1} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5",
                            headers_[0].column("model"), headers_[0].relation),
                [&](const data::ResultChunk& chunk) {
                  for (std::size_t r = 0; r < chunk.rows(); ++r)
                    if (!chunk.column(0).is_null(r)) models.emplace_back(chunk.column(0).text(r));
                });
  return fmt::format("no row is of --model {}; {} has most of: {}", model_, files_[0].path, fmt::join(models, ", "));
}

}  // namespace macmi::prepare
