#pragma once
#include <string>
#include <string_view>

namespace macmi::base {

/// The bytes of a file, mapped into memory and not copied.
class MappedFile {
 public:
  /// Throws InputError.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace macmi::base
