#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace macmi::testing {

/// A folder of its own, gone with its owner.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "macmi-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::filesystem::filesystem_error("mkdtemp", path_, std::error_code());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace macmi::testing
