// Reading 1 million rows × 40 number columns of CSV, against DuckDB's own time for the same read in the same run, and
// the memory it takes. CPU time, so that other programs disturb less; every measurement in a process of its own.
//   read_time SCRATCH_DIRECTORY [REPORT.md]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/tables/duckdb_connection.hpp"
#include "macmi/dataset.hpp"

namespace {

constexpr std::size_t rows = 1000000, columns = 40;

void write_table(const std::string& path) {
  macmi::base::RandomStream random(macmi::base::StreamKey(1).with("read_time"));
  std::FILE* file = std::fopen(path.c_str(), "w");
  for (std::size_t c = 0; c < columns; ++c) fmt::print(file, "{}x{}", c > 0 ? "," : "", c);
  fmt::print(file, "\n");
  std::string line;
  for (std::size_t r = 0; r < rows; ++r) {
    line.clear();
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) line += ',';
      if (c % 4 == 0)
        fmt::format_to(std::back_inserter(line), "{}", random.below(1000));
      else
        fmt::format_to(std::back_inserter(line), "{}", random.normal());
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), file);
  }
  std::fclose(file);
}

struct Cost {
  double cpu_seconds = 0;
  double peak_megabytes = 0;
};

/// CPU time and peak memory of a child process that does the work.
Cost measure(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (status != 0) std::abort();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

/// The least of some runs: what the work costs when nothing else disturbs it.
Cost least(int runs, const std::function<void()>& work) {
  Cost best = measure(work);
  for (int r = 1; r < runs; ++r) {
    const Cost cost = measure(work);
    best = {std::min(best.cpu_seconds, cost.cpu_seconds), std::min(best.peak_megabytes, cost.peak_megabytes)};
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string path = std::string(argv[1]) + "/read_time.csv";
  write_table(path);
  const auto read = [&](const std::function<void(macmi::DataOptions&)>& adjust) {
    return [&, adjust] {
      macmi::DataOptions options;
      options.data = {path};
      options.target = {"x39"};
      adjust(options);
      macmi::read_dataset(options);
    };
  };
  const Cost duckdb = least(3, [&] {
    macmi::data::DuckdbConnection connection;
    connection.run(fmt::format("CREATE TABLE t AS SELECT * FROM read_csv({})", macmi::data::sql_string(path)));
  });
  const Cost stream = least(3, [&] {
    macmi::data::DuckdbConnection connection;
    connection.run(fmt::format("SELECT * FROM read_csv({})", macmi::data::sql_string(path)));
  });
  const Cost whole = least(3, read([](macmi::DataOptions&) {}));
  const Cost few = least(1, read([](macmi::DataOptions& o) { o.features = {"x0", "x1", "x2"}; }));
  const Cost drawn = least(1, read([](macmi::DataOptions& o) { o.rows = 10000; }));
  std::remove(path.c_str());

  const double kept = static_cast<double>(rows * columns * sizeof(double)) / 1048576;
  std::string report = fmt::format(
      "# Reading\n\nWritten by `make bench` (bench/read_time.cpp): a CSV of {} rows × {} number columns; CPU seconds "
      "(user and\n"
      "system, the least of three runs), peak memory of the process.\n\n| what | CPU s | ratio to DuckDB | peak MB "
      "|\n|---|---|---|---|\n",
      rows, columns);
  const auto line = [&](const char* what, const Cost& cost) {
    report += fmt::format("| {} | {:.2f} | {:.2f} | {:.0f} |\n", what, cost.cpu_seconds,
                          cost.cpu_seconds / duckdb.cpu_seconds, cost.peak_megabytes);
  };
  line("DuckDB 1.4.4, into a table of its own", duckdb);
  line("DuckDB 1.4.4, rows handed over and thrown away", stream);
  line("macmi, every column: types, scaling, health included", whole);
  line("macmi, four of the columns", few);
  line("macmi, 10,000 samples drawn (`--rows`, two passes)", drawn);
  report += fmt::format("\nThe samples kept take {:.0f} MB with every column, {:.0f} MB with four.\n", kept, kept / 10);
  fmt::print("{}", report);
  if (argc > 2) {
    std::FILE* file = std::fopen(argv[2], "w");
    if (file == nullptr) return 1;
    fmt::print(file, "{}", report);
    std::fclose(file);
  }
  const bool fast = whole.cpu_seconds <= 1.5 * duckdb.cpu_seconds;
  // Columns grow by doubling, and DuckDB's buffers do not depend on the table: at most twice what is kept, and those.
  const bool bounded = whole.peak_megabytes <= 2 * kept + 300 && few.peak_megabytes <= 2 * kept / 10 + 300 &&
                       drawn.peak_megabytes <= 300;
  fmt::print("\n{} (at most 1.5 times DuckDB), {} (peak memory)\n", fast ? "passed" : "FAILED",
             bounded ? "passed" : "FAILED");
  return fast && bounded ? 0 : 1;
}
