// A simulated fleet as data set and as file.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/files/whole_file.hpp"
#include "data/health.hpp"
#include "data/tables/duckdb_connection.hpp"
#include "experiments/simulations/drive_fleet.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

std::string serial(std::size_t drive) {
  return fmt::format("D{:06}", drive);
}

/// Days from 2018-01-01 on, by the calendar of 2018.
std::string date(std::size_t day) {
  constexpr std::size_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  std::size_t month = 0, year = 2018;
  while (day >= lengths[month]) {
    day -= lengths[month];
    month = (month + 1) % 12;
    year += month == 0;
  }
  return fmt::format("{}-{:02}-{:02}", year, month + 1, day + 1);
}

void write_csv(const DriveFleet& fleet, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  const auto fail = [&] {
    throw InputError(fmt::format("--out {}: cannot be written: {}", path, std::strerror(errno)));
  };
  if (!file) fail();
  std::string text = "serial_number,date,failure";
  for (const std::string& name : fleet.names) text += "," + name;
  text += '\n';
  for (std::size_t i = 0; i < fleet.drives; ++i) {
    for (std::size_t day = 0; day < fleet.days; ++day) {
      text += fmt::format("{},{},{}", serial(i), date(day), fleet.fails[i]);
      for (const auto& series : fleet.series)
        fmt::format_to(std::back_inserter(text), ",{:.0f}", series[i * fleet.days + day]);
      text += '\n';
    }
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
    text.clear();
  }
  if (std::fflush(file.get()) != 0) fail();
}

}  // namespace

void write_fleet(const DriveFleet& fleet, const std::string& path) {
  const std::string partial = path + ".partial";
  struct Removed {
    std::string path;
    ~Removed() { std::remove(path.c_str()); }
  };
  const Removed removed{partial}, also{partial + ".parquet"};
  write_csv(fleet, partial);
  if (!path.ends_with(".parquet")) return base::put_in_place(partial, path);
  data::DuckdbConnection(1).run(
      fmt::format("COPY (SELECT * FROM read_csv({}, header=true)) TO {} (FORMAT parquet, COMPRESSION zstd)",
                  data::sql_string(partial), data::sql_string(also.path)));
  base::put_in_place(also.path, path);
}

Dataset fleet_dataset(const DriveFleet& fleet) {
  Dataset data;
  data.source = "simulated fleet";
  for (std::size_t i = 0; i < fleet.drives; ++i) {
    data.units.push_back(serial(i));
    data.rows.push_back(i * fleet.days + fleet.days - 1);
  }
  for (std::size_t f = 0; f < fleet.names.size(); ++f) {
    Feature& feature = data.features.emplace_back();
    feature.name = fleet.names[f];
    feature.steps = fleet.days;
    const std::vector<double>& series = fleet.series[f];
    const bool constant =
        std::count(series.begin(), series.end(), series[0]) == static_cast<std::ptrdiff_t>(series.size());
    for (std::size_t day = 0; day < fleet.days; ++day) {
      DataColumn& column = feature.columns.emplace_back();
      column.name = fmt::format("{}[{}]", feature.name, day);
      column.type = constant ? ColumnType::constant : ColumnType::integer;
      for (std::size_t i = 0; i < fleet.drives; ++i) column.values.push_back(series[i * fleet.days + day]);
    }
  }
  data.target.name = "failure";
  DataColumn& failure = data.target.columns.emplace_back();
  failure.name = "failure";
  failure.type = ColumnType::boolean;
  failure.labels = {"0", "1"};
  for (const int fails : fleet.fails) {
    failure.codes.push_back(fails);
    failure.values.push_back(fails);
  }
  data::assess_health(data, false);
  return data;
}

}  // namespace macmi::experiments
