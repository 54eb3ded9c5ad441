#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/files/whole_file.hpp"
#include "macmi/error.hpp"
#include "macmi/prepare.hpp"
#include "prepare/drive_days.hpp"

namespace macmi::prepare {
namespace {

/// A folder beside the result for the database, gone in the end however it ends.
class FolderBeside {
 public:
  explicit FolderBeside(const std::string& out) : path_(out + ".scratch") {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    std::filesystem::create_directory(path_, error);
    if (error) throw InputError(fmt::format("--out {}: cannot be written: {}", out, error.message()));
  }
  ~FolderBeside() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderBeside(const FolderBeside&) = delete;
  FolderBeside& operator=(const FolderBeside&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The windows in a table: serial, first and last day, target.
void put_windows(data::DuckdbConnection& database, const std::vector<ObservedUnit>& units, const ChosenWindows& chosen,
                 std::uint64_t length) {
  database.run("CREATE TABLE windows (serial VARCHAR, first DATE, length INTEGER, target INTEGER)");
  constexpr std::size_t at_once = 1000;
  for (std::size_t begin = 0; begin < chosen.windows.size(); begin += at_once) {
    std::vector<std::string> rows;
    for (std::size_t w = begin; w < std::min(begin + at_once, chosen.windows.size()); ++w) {
      const Window& window = chosen.windows[w];
      rows.push_back(fmt::format("({}, DATE '1970-01-01' + {}, {}, {})", data::sql_string(units[window.unit].name),
                                 window.last_day - static_cast<std::int32_t>(length) + 1, length,
                                 window.event ? 1 : 0));
    }
    database.run(fmt::format("INSERT INTO windows VALUES {}", fmt::join(rows, ", ")));
  }
}

/// One row per window and day: the first row of the day that has values; gaps have none.
constexpr const char* window_rows =
    "CREATE TABLE window_rows AS SELECT w.serial AS serial, w.first + CAST(o.offset_days AS INTEGER) AS day, w.target "
    "AS target, d.* "
    "EXCLUDE (serial, day) FROM windows w CROSS JOIN (SELECT range AS offset_days FROM range({})) o LEFT JOIN (SELECT "
    "* FROM days "
    "WHERE serial IN (SELECT serial FROM windows) QUALIFY row_number() OVER (PARTITION BY serial, day ORDER BY blank, "
    "file, rowid) = 1) d "
    "ON d.serial = w.serial AND d.day = w.first + CAST(o.offset_days AS INTEGER)";

/// Features with a value somewhere in the windows; the others are reported as absent.
std::vector<std::size_t> features_with_values(data::DuckdbConnection& database,
                                              const std::vector<DriveFeature>& features, PrepareReport& report) {
  std::vector<std::string> counts;
  for (std::size_t f = 0; f < features.size(); ++f) counts.push_back(fmt::format("CAST(count(f{}) AS DOUBLE)", f));
  std::vector<std::size_t> kept;
  database.run(fmt::format("SELECT {} FROM window_rows", fmt::join(counts, ", ")), [&](const data::ResultChunk& chunk) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      const bool there = chunk.column(f).numbers()[0] > 0;
      (there ? report.features : report.absent).push_back(features[f].name);
      if (there) kept.push_back(f);
    }
  });
  return kept;
}

void write(data::DuckdbConnection& database, const std::vector<DriveFeature>& features, const std::string& scratch,
           const std::string& out, PrepareReport& report) {
  database.run(fmt::format(window_rows, "(SELECT max(length) FROM windows)"));
  std::vector<std::string> select = {"serial AS serial_number", "day AS date", "target AS failure"};
  for (const std::size_t f : features_with_values(database, features, report))
    select.push_back(fmt::format("f{} AS {}", f, data::sql_name(features[f].name)));
  if (report.features.empty())
    throw InputError(
        "none of the attributes asked for has a value in the windows; --attributes all takes every SMART column");
  const bool parquet = out.ends_with(".parquet"), gzipped = out.ends_with(".gz");
  const std::string partial = scratch + (parquet ? "/windows.parquet" : gzipped ? "/windows.csv.gz" : "/windows.csv");
  database.run(fmt::format("COPY (SELECT {} FROM window_rows ORDER BY serial_number, date) TO {} ({})",
                           fmt::join(select, ", "), data::sql_string(partial),
                           parquet   ? "FORMAT parquet, COMPRESSION zstd"
                           : gzipped ? "FORMAT csv, HEADER, COMPRESSION gzip"
                                     : "FORMAT csv, HEADER"));
  base::put_in_place(partial, out);
}

void add_counts(PrepareReport& report) {
  auto& notes = report.notes;
  if (report.duplicates > 0)
    notes.push_back(fmt::format("rows that repeat a drive and day, of which the first one with values counts: {}",
                                report.duplicates));
  if (report.blank > 0)
    notes.push_back(fmt::format("rows without any SMART value, which count as gaps: {}", report.blank));
  if (report.failed < report.failures)
    notes.push_back(
        fmt::format("{} of {} failing drives have no complete window and are left out (--gaps allows missing days)",
                    report.failures - report.failed, report.failures));
  if (report.healthy < report.healthy_wanted)
    notes.push_back(
        fmt::format("only {} of {} healthy windows could be drawn on the days on which the failing ones end",
                    report.healthy, report.healthy_wanted));
  if (report.healthy == 0)
    notes.push_back("there is no healthy window: nothing can be learned from failing drives alone");
  constexpr std::size_t few = 40;
  if (!report.absent.empty() && report.absent.size() <= few)
    notes.push_back(fmt::format("not in these files, left out: {}", fmt::join(report.absent, ", ")));
  else if (!report.absent.empty())
    notes.push_back(
        fmt::format("{} SMART columns have no value in the windows and are left out", report.absent.size()));
}

}  // namespace
}  // namespace macmi::prepare

namespace macmi {

PrepareReport prepare_backblaze(const PrepareOptions& o, const std::function<bool(const Progress&)>& on_progress) {
  const std::vector<data::DataFile> files = data::expand_files(o.input);
  const prepare::FolderBeside scratch(o.out);
  data::DuckdbConnection database(o.threads, {scratch.path()});
  prepare::DriveDays days(files, o, database);
  PrepareReport report;
  report.files = files.size();
  const auto tell = [&](const char* stage, std::size_t done, const std::string& current) {
    if (on_progress && !on_progress({stage, "files", done, files.size(), 0, current})) throw Cancelled();
  };
  for (std::size_t f = 0; f < files.size(); ++f) {
    tell("reading", f, files[f].path);
    days.read(f);
  }
  tell("windows", files.size(), o.out);
  report.rows = days.rows();
  if (report.rows == 0) throw InputError(days.models_there());
  const std::vector<prepare::ObservedUnit> units = days.drives(report);
  report.drives = units.size();
  const prepare::ChosenWindows chosen = prepare::choose_windows(units, {o.window, o.lead, o.gaps, o.ratio, o.seed});
  report.failures = chosen.events;
  report.healthy_wanted = chosen.wanted;
  for (const prepare::Window& window : chosen.windows) ++(window.event ? report.failed : report.healthy);
  if (report.failures == 0) throw InputError(fmt::format("no drive of --model {} fails in these files", o.model));
  if (report.failed == 0)
    throw InputError(
        fmt::format("{} drives of --model {} fail, none of them with {} days of values that end {} days before; lower "
                    "--window or allow --gaps",
                    report.failures, o.model, o.window, o.lead));
  prepare::put_windows(database, units, chosen, o.window);
  report.notes = days.notes();
  prepare::write(database, days.features(), scratch.path(), o.out, report);
  prepare::add_counts(report);
  return report;
}

std::vector<Option> declare(PrepareOptions& o) {
  return {
      {.name = "input",
       .field = &o.input,
       .meaning = "Daily files, CSV or CSV.gz, as Backblaze publishes them; globs are allowed",
       .value_name = "FILES",
       .required = true},
      {.name = "model", .field = &o.model, .meaning = "Drive model to take"},
      {.name = "window", .field = &o.window, .meaning = "Days per drive", .low = 1, .high = 10000},
      {.name = "lead",
       .field = &o.lead,
       .meaning = "Days from the last day of the window to the failure that is to be predicted; 0: the failure's own "
                  "day is the last",
       .high = 10000},
      {.name = "gaps", .field = &o.gaps, .meaning = "Days of a window that may be missing in the files", .high = 10000},
      {.name = "ratio",
       .field = &o.ratio,
       .meaning = "Healthy drives per failing drive, their windows ending on the same days; 0: every healthy drive "
                  "that has such a window",
       .low = 0,
       .high = 1e6},
      {.name = "attributes",
       .field = choice_of(o.attributes, {"paper", "all"}),
       .meaning = "Features: the 36 of the paper's supplement by their names, or every SMART column of the files"},
      {.name = "seed", .field = &o.seed, .meaning = "Of the choice of healthy drives"},
      {.name = "threads", .field = &o.threads, .meaning = "Threads; 0: every core"},
      {.name = "out",
       .field = &o.out,
       .meaning = "Data set to write: .parquet, .csv or .csv.gz",
       .value_name = "FILE",
       .required = true},
  };
}

}  // namespace macmi
