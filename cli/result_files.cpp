#include "result_files.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <utility>

#include "macmi/error.hpp"

namespace macmi::cli {

ResultText read_result(const std::string& file_or_run) {
  ResultText result{file_or_run, {}};
  std::error_code ignored;
  const bool is_run = std::filesystem::is_directory(file_or_run, ignored);
  if (is_run) result.path = (std::filesystem::path(file_or_run) / "result.json").string();
  std::ifstream file(result.path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf()))
    throw InputError(
        is_run ? fmt::format("cannot read '{}': has the run finished?", result.path)
               : fmt::format("cannot read '{}': give the file that `macmi select --out FILE` wrote", result.path));
  result.text = text.str();
  return result;
}

ResultFile::ResultFile(std::string option, std::string path)
    : option_(std::move(option)),
      path_(std::move(path)),
      unfinished_(path_ + ".part"),
      file_(unfinished_, std::ios::binary) {
  if (!file_) refuse();
}

ResultFile::~ResultFile() {
  std::remove(unfinished_.c_str());
}

void ResultFile::finish(const std::string& text) {
  file_ << text << "\n";
  file_.close();
  if (!file_ || std::rename(unfinished_.c_str(), path_.c_str()) != 0) refuse();
}

void ResultFile::refuse() const {
  throw InputError(fmt::format("{}: cannot write '{}': check that the folder exists and is writable", option_, path_));
}

}  // namespace macmi::cli
