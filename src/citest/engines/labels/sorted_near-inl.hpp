// The samples around one place in order of distance.
#if defined(MACMI_CITEST_SORTED_NEAR) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_SORTED_NEAR
#undef MACMI_CITEST_SORTED_NEAR
#else
#define MACMI_CITEST_SORTED_NEAR
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector/sort.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::labels {

/// Samples by distance from a place, nearest first: sorted keys of a distance and a sample. Keys of 32 bits take half
/// the time of those of 64, where distances and samples fit.
template <class Key>
class SortedNear {
 public:
  static bool fits(std::int32_t farthest, std::size_t samples) {
    return static_cast<std::uint64_t>(farthest) + 1 < std::uint64_t{1} << (8 * sizeof(Key) - id_bits) &&
           samples <= std::uint64_t{1} << id_bits;
  }
  /// Room for so many, which add() does not check: it is called for every sample around every place.
  void clear(std::size_t most) {
    if (keys_.size() < most) keys_.resize(most);
    size_ = 0;
  }
  void add(std::int32_t distance, std::int32_t id) {
    keys_[size_++] = static_cast<Key>(distance) << id_bits | static_cast<Key>(id);
  }
  void sort() { base::sort_ascending(std::span(keys_).first(size_)); }
  std::size_t size() const { return size_; }
  std::uint32_t id(std::size_t r) const { return static_cast<std::uint32_t>(keys_[r] & ((Key{1} << id_bits) - 1)); }
  std::int32_t distance(std::size_t r) const { return static_cast<std::int32_t>(keys_[r] >> id_bits); }
  /// How many are at most this far.
  std::size_t within(std::int32_t limit) const {
    const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(size_);
    const Key farther = static_cast<Key>(limit + 1) << id_bits;
    return static_cast<std::size_t>(std::lower_bound(keys_.begin(), end, farther) - keys_.begin());
  }
  /// The first as far as rank r, and the first farther.
  std::size_t first_as_far(std::size_t r) const {
    return r > 0 && distance(r - 1) == distance(r) ? within(distance(r) - 1) : r;
  }
  std::size_t first_farther(std::size_t r) const {
    return r + 1 < size_ && distance(r + 1) == distance(r) ? within(distance(r)) : r + 1;
  }

 private:
  static constexpr int id_bits = sizeof(Key) == 8 ? 32 : 17;
  std::vector<Key> keys_;
  std::size_t size_ = 0;
};

}  // namespace macmi::citest::HWY_NAMESPACE::labels
HWY_AFTER_NAMESPACE();
#endif
