#include "data/files.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/suggest.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> matches(const std::string& pattern) {
  std::error_code failed;
  if (fs::exists(pattern, failed)) return {pattern};  // a name with glob characters in it, too
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> release(&found, ::globfree);
  if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) != 0) return {};
  return {found.gl_pathv, found.gl_pathv + found.gl_pathc};
}

[[noreturn]] void refuse_absent(const std::string& pattern) {
  if (pattern.find_first_of("*?[") != std::string::npos) throw InputError(fmt::format("no file matches '{}'", pattern));
  std::vector<std::string> neighbours;
  std::error_code failed;
  const fs::path directory = fs::path(pattern).parent_path();
  for (const auto& entry : fs::directory_iterator(directory.empty() ? "." : directory, failed))
    neighbours.push_back((directory / entry.path().filename()).string());
  std::sort(neighbours.begin(), neighbours.end());
  throw InputError(fmt::format("{}: no such file{}", pattern, base::did_you_mean(pattern, neighbours)));
}

bool has_ending(std::string path, std::initializer_list<const char*> endings) {
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

FileKind kind_of(const std::string& path, const std::string& head) {
  if (head.starts_with("\x93NUMPY")) return FileKind::npy;
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    if (has_ending(path, {".xlsx", ".ods", ".zip"}))
      throw InputError(fmt::format("{}: spreadsheets and archives are not read; export it as CSV", path));
    return FileKind::npz;
  }
  if (head.starts_with("PAR1")) return FileKind::parquet;
  const auto named = [&](std::initializer_list<const char*> endings, const char* what) {
    if (has_ending(path, endings)) throw InputError(fmt::format("{} is named like {} but is none", path, what));
  };
  named({".parquet", ".pq"}, "a Parquet file");
  named({".npy", ".npz"}, "a NumPy file");
  if (has_ending(path, {".json", ".jsonl", ".ndjson"})) return FileKind::json;
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    throw InputError(fmt::format("{} is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8", path));
  if (head.find('\0') != std::string::npos)
    throw InputError(fmt::format("{} is neither CSV, JSON lines, Parquet nor NumPy: it holds binary bytes", path));
  if (!has_ending(path, {".csv", ".tsv", ".txt"}) && head.find_first_not_of(" \t\r\n") != std::string::npos &&
      head[head.find_first_not_of(" \t\r\n")] == '{')
    return FileKind::json;
  return FileKind::csv;
}

DataFile checked(const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed))
    throw InputError(fmt::format("{} is a directory; name its files, for example '{}/*.csv'", path, path));
  if (!fs::is_regular_file(path, failed))
    throw InputError(fmt::format("{} is not a regular file; macmi reads its data more than once", path));
  const FileHead head = read_head(path, 4096);
  if (head.bytes.empty()) throw InputError(fmt::format("{} is empty", path));
  return {path, kind_of(path, head.bytes)};
}

}  // namespace

FileHead read_head(const std::string& path, std::size_t limit) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  if (!file) throw InputError(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  FileHead head;
  head.bytes.resize(limit);
  const int got = ::gzread(file.get(), head.bytes.data(), static_cast<unsigned>(limit));
  if (got < 0) {
    int code = 0;
    throw InputError(fmt::format("{} cannot be read: {}", path, ::gzerror(file.get(), &code)));
  }
  head.bytes.resize(static_cast<std::size_t>(got));
  head.whole = static_cast<std::size_t>(got) < limit;
  return head;
}

std::vector<DataFile> expand_files(const std::vector<std::string>& patterns) {
  std::vector<DataFile> files;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> paths = matches(pattern);
    if (paths.empty()) refuse_absent(pattern);
    for (const std::string& path : paths) files.push_back(checked(path));
  }
  return files;
}

}  // namespace macmi::data
