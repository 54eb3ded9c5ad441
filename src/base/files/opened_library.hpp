#pragma once
#include <span>
#include <string>
#include <vector>

namespace macmi::base {

/// A shared library that was looked for. Such libraries are opened when they are first needed and stay open.
struct OpenedLibrary {
  void* handle = nullptr;  ///< none: no candidate opened
  std::string path;        ///< the file that opened
  std::string tried;       ///< a line for every candidate that did not, as the loader put it
};

/// Opens the first of the candidates that opens, with the symbols for the caller alone or, `global`, for libraries
/// opened after it.
OpenedLibrary open_library(std::span<const std::string> candidates, bool global = false);

/// A file of macmi's own in every folder where it may lie: beside the running code, or in lib/macmi next to its folder.
std::vector<std::string> beside_the_code(const std::string& file_name);

/// The lines of `macmi doctor` on a library.
struct LibraryState {
  std::string name;
  std::string purpose;
  std::string path = {};     ///< empty: not found
  std::string version = {};  ///< empty: it does not say
  std::string advice = {};   ///< where it is not found: how to get it
};

}  // namespace macmi::base
