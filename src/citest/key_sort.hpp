#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace macmi {

/// Distance and choice in one number, so that sorting is by distance.
using DistanceKey = std::uint64_t;
inline std::int32_t distance_of(DistanceKey key) {
  return static_cast<std::int32_t>(key >> 32);
}

/// Sorts keys with distances low … high: into 512 buckets, then by insertion.
class KeySort {
 public:
  void sort(std::vector<DistanceKey>& keys, std::int32_t low, std::int32_t high) {
    int shift = 0;
    while ((high - low) >> shift > 511) ++shift;
    std::array<std::uint32_t, 513> next{};
    for (const DistanceKey key : keys) ++next[static_cast<std::size_t>((distance_of(key) - low) >> shift) + 1];
    for (std::size_t b = 0; b < 512; ++b) next[b + 1] += next[b];
    sorted_.resize(keys.size());
    for (const DistanceKey key : keys)
      sorted_[next[static_cast<std::size_t>((distance_of(key) - low) >> shift)]++] = key;
    for (std::size_t e = 1; shift > 0 && e < sorted_.size(); ++e) {
      const DistanceKey key = sorted_[e];
      std::size_t place = e;
      for (; place > 0 && sorted_[place - 1] > key; --place) sorted_[place] = sorted_[place - 1];
      sorted_[place] = key;
    }
    keys.swap(sorted_);
  }

 private:
  std::vector<DistanceKey> sorted_;
};

}  // namespace macmi
