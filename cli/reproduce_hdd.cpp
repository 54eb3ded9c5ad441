// macmi reproduce hdd: the paper's experiment on hard drives.
#include "reproduce_hdd.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "interrupt.hpp"
#include "macmi/error.hpp"
#include "progress_line.hpp"
#include "report/html.hpp"
#include "run/whole_file.hpp"

namespace macmi::cli {

void run_reproduce_hdd(const HddOptions& options, const std::string& out, const Output& output) {
  require_report_page();
  const bool was_there = std::filesystem::exists(out);
  make_directory(out);
  ProgressLine line(!output.quiet);
  const Interrupt interrupt([&] { line.clear(); });
  HddReproduction result;
  try {
    result = reproduce_hdd(options, [&](const Progress& progress) {
      line.update(progress);
      return !Interrupt::requested();
    });
  } catch (const InputError&) {  // nothing is left behind of what was refused
    std::error_code ignored;
    if (!was_there) std::filesystem::remove(out, ignored);
    throw;
  }
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
