#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace macmi::data {

/// One array of a .npz file: its name (without .npy) and its bytes as a .npy file.
struct NpzMember {
  std::string name;
  std::string_view stored;  ///< inside the archive's bytes
  bool deflated = false;
  std::size_t size = 0;  ///< of the .npy bytes
  std::uint32_t crc = 0;
};

/// The arrays of a .npz archive (zip: stored or deflated, also beyond 4 GB), in its order. Throws InputError.
std::vector<NpzMember> list_npz(std::string_view archive, const std::string& name);

/// The .npy bytes of a member, inflated and checked.
std::string unpack(const NpzMember& member, const std::string& name);

}  // namespace macmi::data
