#include "result_files.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/files/whole_file.hpp"
#include "macmi/error.hpp"
#include "macmi/run.hpp"

namespace macmi::cli {

ResultText read_result(const std::string& file_or_run) {
  const std::string path = result_file(file_or_run);
  if (!std::filesystem::exists(path))
    throw InputError(
        fmt::format("cannot read '{}': give the directory of a finished run (`macmi runs` lists them), or the file "
                    "that `macmi select --out FILE` wrote",
                    path));
  ResultText result{path, base::read_whole_file(path)};
  if (result.text.find_first_not_of(" \n\r\t") == std::string::npos)
    throw InputError(fmt::format("{} is empty: give a file that `macmi select --out FILE` wrote", path));
  return result;
}

Option result_argument(std::string& file_or_run) {
  return {.name = "run",
          .field = &file_or_run,
          .meaning = "Directory of a run, its name in macmi-runs, or the file of macmi select --out or --json",
          .value_name = "RUN",
          .required = true};
}

void expect_writable(const std::string& option, const std::string& path) {
  const std::string probe = path + ".part";
  const bool opened = std::ofstream(probe, std::ios::binary).is_open();
  std::remove(probe.c_str());
  if (!opened)
    throw InputError(fmt::format("{}: cannot write '{}': check that the folder exists and is writable", option, path));
}

}  // namespace macmi::cli
