#include "data/tables/duckdb_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/files/opened_library.hpp"
#include "data/tables/duckdb_state.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

constexpr const char* file_name = "libduckdb.so";
constexpr const char* advice =
    "With Python: pip install 'duckdb>=1.4,<1.5'; otherwise set MACMI_DUCKDB to the path of libduckdb.so of DuckDB 1.4";

/// Where to look. Folders near the running code come first: under the address sanitizer, which stands between
/// dlopen and its caller, the loader does not apply the program's own run path.
std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("MACMI_DUCKDB"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> paths = base::beside_the_code(file_name);
  paths.emplace_back(file_name);
  return paths;
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw Error(fmt::format("{} has no {}: macmi needs DuckDB 1.4", file_name, name));
}

const base::OpenedLibrary& opened() {
  static const base::OpenedLibrary library = [] {
    base::OpenedLibrary found = base::open_library(candidates());
    // DuckDB needs GCC's C++ library. The system's comes first, since other libraries may need one as new; the archive
    // brings one along for systems that have none.
    if (found.handle == nullptr) {
      for (const char* part : {"runtime/libgcc_s.so.1", "runtime/libstdc++.so.6"})
        base::open_library(base::beside_the_code(part));
      found = base::open_library(candidates());
    }
    return found;
  }();
  return library;
}

DuckdbLibrary functions() {
  if (opened().handle == nullptr)
    throw InputError(
        fmt::format("DuckDB's library, which reads tables, did not open. {}. Tried:{}", advice, opened().tried));
  DuckdbLibrary library;
#define MACMI_DUCKDB_FIND(name) find(opened().handle, "duckdb_" #name, library.name);
  MACMI_DUCKDB_FUNCTIONS(MACMI_DUCKDB_FIND)
#undef MACMI_DUCKDB_FIND
  return library;
}

}  // namespace

const DuckdbLibrary& duckdb_library() {
  static const DuckdbLibrary library = functions();
  return library;
}

base::LibraryState duckdb_state() {
  base::LibraryState state = {
      .name = "DuckDB", .purpose = "reads CSV, Parquet, JSON and SQL", .path = opened().path, .advice = advice};
  if (opened().handle != nullptr) state.version = duckdb_library().library_version();
  return state;
}

}  // namespace macmi::data
