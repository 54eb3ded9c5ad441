#include "base/files/opened_library.hpp"

#include <dlfcn.h>
#ifdef __linux__
#include <link.h>
#endif

#include <filesystem>

#include "base/files/code_folder.hpp"

namespace macmi::base {
namespace {

/// The file of an open library: a name without a folder does not tell where the loader found it.
std::string file_of([[maybe_unused]] void* handle, const std::string& name) {
#ifdef __linux__
  link_map* entry = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &entry) == 0 && entry != nullptr && *entry->l_name != '\0') return entry->l_name;
#endif
  return name;
}

}  // namespace

OpenedLibrary open_library(std::span<const std::string> candidates, bool global) {
  OpenedLibrary opened;
  for (const std::string& name : candidates) {
    opened.handle = dlopen(name.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (opened.handle != nullptr) {
      opened.path = file_of(opened.handle, name);
      break;
    }
    const char* error = dlerror();
    opened.tried += "\n  " + (error != nullptr ? std::string(error) : name);
  }
  return opened;
}

std::vector<std::string> beside_the_code(const std::string& file_name) {
  std::vector<std::string> found;
  const std::filesystem::path folder = code_folder();
  if (folder.empty()) return found;
  std::error_code failed;
  for (const auto& path : {folder / file_name, folder.parent_path() / "lib" / "macmi" / file_name})
    if (std::filesystem::exists(path, failed)) found.push_back(path.string());
  return found;
}

}  // namespace macmi::base
