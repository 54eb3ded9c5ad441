#include "base/files/code_folder.hpp"

#include <dlfcn.h>

#include <string>

namespace macmi::base {

std::filesystem::path code_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&code_folder), &here) != 0 && here.dli_fname != nullptr &&
      std::string(here.dli_fname).find(".so") != std::string::npos)
    return std::filesystem::path(here.dli_fname).parent_path();
  std::error_code failed;  // dladdr gives a program's name as it was called, without its folder
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

}  // namespace macmi::base
