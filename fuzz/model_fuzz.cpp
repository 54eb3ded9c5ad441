// Any bytes as a model file: a model or InputError, nothing else. Size and checksum are made right first, so that what
// lies behind them is reached too.
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "maps/map_model.hpp"

namespace macmi {
const char* version() {
  return "fuzz";
}
}  // namespace macmi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= 32 && size % 8 != 1) {
    const std::uint64_t whole = size;
    std::memcpy(bytes.data() + 16, &whole, sizeof whole);
    const auto crc = static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), size - 4));
    std::memcpy(bytes.data() + size - 4, &crc, sizeof crc);
  }
  try {
    const macmi::maps::MapModel model = macmi::maps::parse_model(bytes, "fuzz");
    macmi::base::ArrayFileWriter again;
    macmi::maps::put(again, model);
    macmi::maps::parse_model(again.bytes(), "fuzz again");
  } catch (const macmi::InputError&) {
  }
  return 0;
}
