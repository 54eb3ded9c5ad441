// macmi reproduce hdd: the paper's experiment on hard drives.
#include "reproduce_hdd.hpp"

#include <fmt/format.h>

namespace macmi::cli {

void run_reproduce_hdd(const experiments::HddOptions& options, const std::string& out, const Output& output,
                       ProgressLine& line, const ProgressCallback& progress) {
  const experiments::HddReproduction result = experiments::reproduce_hdd(out, options, progress);
  line.finish("hdd");
  const std::vector<std::string> files = experiments::write_hdd(result, out);
  if (output.json) {
    fmt::print("{}\n", experiments::hdd_json(result));
    return;
  }
  fmt::print("{}", experiments::hdd_text(result));
  for (const std::string& file : files) fmt::print("  {}\n", file);
}

}  // namespace macmi::cli
