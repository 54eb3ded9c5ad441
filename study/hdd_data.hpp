#pragma once
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "macmi/dataset.hpp"
#include "macmi/select.hpp"

namespace macmi::study {

/// The 90-day windows of genuine drives, or nothing where MACMI_DATA is not set. `lead`: days cut off the end.
inline Dataset drive_windows(std::uint64_t lead = 0) {
  const char* folder = std::getenv("MACMI_DATA");
  if (folder == nullptr) {
    std::puts("skipped: MACMI_DATA not set");
    std::exit(0);
  }
  DataOptions options;
  options.data = {std::string(folder) + "/backblaze/windows90_small.csv.gz"};
  options.id = "serial_number";
  options.time = "date";
  options.target = {"failure"};
  options.exclude = {"model"};
  Dataset data = read_dataset(options);
  for (Feature& feature : data.features) {
    feature.steps -= lead;
    feature.columns.resize(feature.steps);
  }
  return data;
}

/// The default command for data in which the target lies in the future of every feature.
inline SelectOptions drive_options(std::uint64_t seed) {
  SelectOptions options;
  options.search.no_children = true;
  options.test.seed = seed;
  return options;
}

/// CPU seconds and peak memory in MB of this process so far.
inline double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}
inline double peak_megabytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

inline std::uint64_t argument(int count, char** values, int at, std::uint64_t otherwise) {
  return count > at ? std::strtoull(values[at], nullptr, 10) : otherwise;
}

}  // namespace macmi::study
