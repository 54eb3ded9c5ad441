// macmi reproduce hdd: the paper's experiment on hard drives.
#include "reproduce_hdd.hpp"

#include <fmt/format.h>

#include "interrupt.hpp"
#include "progress_line.hpp"
#include "report/html.hpp"
#include "run/whole_file.hpp"

namespace macmi::cli {

void run_reproduce_hdd(const HddOptions& options, const std::string& out, const Output& output) {
  require_report_page();
  make_directory(out);
  ProgressLine line(!output.quiet);
  const Interrupt interrupt([&] { line.clear(); });
  const HddReproduction result = reproduce_hdd(options, [&](const Progress& progress) {
    line.update(progress);
    return !Interrupt::requested();
  });
  line.finish("hdd");
  const std::vector<std::string> files = write_hdd(result, out);
  if (output.json) {
    fmt::print("{}\n", hdd_json(result));
    return;
  }
  fmt::print("{}", hdd_text(result));
  for (const std::string& file : files) fmt::print("  {}\n", file);
}

}  // namespace macmi::cli
