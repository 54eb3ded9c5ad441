// macmi doctor: what this program was built with and what it finds on this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/code_folder.hpp"
#include "base/files/opened_library.hpp"
#include "base/parallel.hpp"
#include "base/vector/simd.hpp"
#include "baselines/boosted_trees.hpp"
#include "built_from_commit.hpp"
#include "cluster/mpi_ranks.hpp"
#include "data/tables/duckdb_state.hpp"
#include "macmi/version.hpp"
#include "report/html.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

std::string limit_of_simd() {
  const char* name = std::getenv("MACMI_SIMD");
  return name != nullptr ? name : "";
}

struct Findings {
  std::string commit = built_from_commit;
  std::string compiler, c_library, folder = base::code_folder().string();
  std::size_t cores = base::thread_count(0);
  std::vector<std::string> simd = base::simd_targets();
  std::string simd_chosen = limit_of_simd().empty() ? simd.front() : limit_of_simd();
  bool report = !report::report_page().empty();
  std::vector<base::LibraryState> libraries = {data::duckdb_state(), baselines::xgboost_state(), cluster::mpi_state()};
};

Findings look_around() {
  Findings found;
#ifdef __clang__
  found.compiler = fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  found.compiler = fmt::format("GCC {}", __VERSION__);
#endif
#ifdef __GLIBC__
  found.c_library =
      fmt::format("glibc {}, built for {}.{} and later", gnu_get_libc_version(), __GLIBC__, __GLIBC_MINOR__);
#endif
  return found;
}

void print_json(const Findings& found) {
  nlohmann::ordered_json libraries = nlohmann::ordered_json::array();
  for (const base::LibraryState& library : found.libraries) {
    nlohmann::ordered_json entry = {
        {"name", library.name}, {"purpose", library.purpose}, {"found", !library.path.empty()}};
    if (!library.path.empty()) entry["path"] = library.path;
    if (!library.version.empty()) entry["version"] = library.version;
    if (library.path.empty()) entry["advice"] = library.advice;
    libraries.push_back(entry);
  }
  const nlohmann::ordered_json json = {{"version", version()},        {"commit", found.commit},
                                       {"compiler", found.compiler},  {"c_library", found.c_library},
                                       {"folder", found.folder},      {"cores", found.cores},
                                       {"simd", found.simd},          {"simd_chosen", found.simd_chosen},
                                       {"html_report", found.report}, {"libraries", libraries}};
  fmt::print("{}\n", json.dump(2));
}

void print_text(const Findings& found) {
  fmt::print("macmi {}{}\n", version(), found.commit.empty() ? "" : fmt::format(" (commit {})", found.commit));
  fmt::print("in: {}\n", found.folder);
  fmt::print("compiled by {}\n", found.compiler);
  if (!found.c_library.empty()) fmt::print("C library: {}\n", found.c_library);
  fmt::print("cores: {}\n", found.cores);
  fmt::print("vector instructions: {}, of {} (MACMI_SIMD=NAME limits)\n", found.simd_chosen,
             fmt::join(found.simd, ", "));
  if (!found.report) fmt::print("HTML report: left out of this build (configure with -DMACMI_REPORT=ON)\n");
  for (const base::LibraryState& library : found.libraries) {
    if (library.path.empty())
      fmt::print("{}: not found ({}). {}\n", library.name, library.purpose, library.advice);
    else
      fmt::print("{}{}: {} ({})\n", library.name, library.version.empty() ? "" : " " + library.version, library.path,
                 library.purpose);
  }
}

}  // namespace

Verb doctor_verb() {
  auto output = std::make_shared<Output>();
  return {.name = "doctor",
          .summary = "Show versions, CPU features and what is missing",
          .details = {},
          .positional = {},
          .options = {{.name = "json", .field = &output->json, .meaning = "As JSON"}},
          .examples = {"macmi doctor", "MACMI_SIMD=SSE4 macmi doctor --json"},
          .run = [output] { output->json ? print_json(look_around()) : print_text(look_around()); }};
}

}  // namespace macmi::cli
