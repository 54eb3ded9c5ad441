#include "data/tables/duckdb_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/code_folder.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr const char* file_name = "libduckdb.so";

/// Where to look. The directory of the running code comes first: under the address sanitizer, which stands between
/// dlopen and its caller, the loader does not apply the program's own run path.
std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("MACMI_DUCKDB"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> paths;
  std::error_code failed;
  if (const std::filesystem::path directory = code_folder(); !directory.empty()) {
    for (const auto& path : {directory / file_name, directory.parent_path() / "lib" / "macmi" / file_name})
      if (std::filesystem::exists(path, failed)) paths.push_back(path.string());
  }
  paths.emplace_back(file_name);
  return paths;
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw Error(fmt::format("{} has no {}: macmi needs DuckDB 1.4", file_name, name));
}

DuckdbLibrary open_library() {
  std::string tried;
  for (const std::string& path : candidates()) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      tried += fmt::format("\n  {}", dlerror());
      continue;
    }
    DuckdbLibrary library;
#define MACMI_DUCKDB_FIND(name) find(handle, "duckdb_" #name, library.name);
    MACMI_DUCKDB_FUNCTIONS(MACMI_DUCKDB_FIND)
#undef MACMI_DUCKDB_FIND
    return library;
  }
  throw Error(
      fmt::format("DuckDB's library, which reads tables, did not open; set MACMI_DUCKDB to its path. Tried:{}", tried));
}

}  // namespace

const DuckdbLibrary& duckdb_library() {
  static const DuckdbLibrary library = open_library();
  return library;
}

}  // namespace macmi
