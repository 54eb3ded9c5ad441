// Things in order of their distance.
#if defined(MACMI_CITEST_DISTANCE_ORDER) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_DISTANCE_ORDER
#undef MACMI_CITEST_DISTANCE_ORDER
#else
#define MACMI_CITEST_DISTANCE_ORDER
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::slices {
namespace hn = hwy::HWY_NAMESPACE;

/// Things in order of their distance, and how many are within any distance: sorted into buckets, then by insertion.
/// Where a bucket is one distance wide, which is usual, both are read off the table.
class DistanceOrder {
 public:
  /// `distance` from low to high, and what each belongs to.
  void sort(const std::int32_t* distance, const std::int32_t* owner, std::size_t size, std::int32_t low,
            std::int32_t high) {
    low_ = low;
    high_ = high;
    shift_ = 0;
    if (high - low >= most_distances)
      while ((high - low) >> shift_ >= few_buckets) ++shift_;
    end_.assign((static_cast<std::size_t>((high - low) >> shift_) + 5) / 4 * 4, 0);
    for (std::size_t e = 0; e < size; ++e) ++end_[bucket(distance[e]) + 1];
    add_up();
    if (keys_.size() < size) keys_.resize(size);
    size_ = size;
    for (std::size_t e = 0; e < size; ++e)
      keys_[end_[bucket(distance[e])]++] =
          static_cast<std::uint64_t>(distance[e]) << 32 | static_cast<std::uint32_t>(owner[e]);
    if (shift_ > 0) insert();
  }

  std::size_t size() const { return size_; }
  std::int32_t low() const { return low_; }
  std::int32_t high() const { return high_; }
  std::int32_t distance(std::size_t place) const { return static_cast<std::int32_t>(keys_[place] >> 32); }
  std::uint32_t owner(std::size_t place) const { return static_cast<std::uint32_t>(keys_[place]); }

  /// within(low + d) at place d, for d up to high - low, where a table of it exists; else nothing.
  const std::int32_t* table() const {
    return shift_ == 0 ? reinterpret_cast<const std::int32_t*>(end_.data()) : nullptr;
  }

  /// How many are at `limit` or nearer.
  std::uint32_t within(std::int32_t limit) const {
    if (limit < low_) return 0;
    if (limit >= high_) return static_cast<std::uint32_t>(size_);
    std::uint32_t count = end_[bucket(limit)];
    if (shift_ > 0)
      while (count > 0 && distance(count - 1) > limit) --count;
    return count;
  }

 private:
  static constexpr std::int32_t most_distances = 4096;  ///< with a bucket each
  static constexpr std::int32_t few_buckets = 512;

  std::size_t bucket(std::int32_t distance) const { return static_cast<std::size_t>((distance - low_) >> shift_); }

  /// Every bucket gets the sum of all up to it.
  void add_up() {
    const hn::FixedTag<std::uint32_t, 4> tag;
    auto sum = hn::Zero(tag);
    for (std::size_t b = 0; b < end_.size(); b += 4) {
      auto part = hn::LoadU(tag, end_.data() + b);
      part = hn::Add(part, hn::ShiftLeftLanes<1>(part));
      part = hn::Add(part, hn::ShiftLeftLanes<2>(part));
      sum = hn::Add(sum, part);
      hn::StoreU(sum, tag, end_.data() + b);
      sum = hn::Broadcast<3>(sum);
    }
  }

  void insert() {
    for (std::size_t e = 1; e < size_; ++e) {
      const std::uint64_t key = keys_[e];
      std::size_t place = e;
      for (; place > 0 && keys_[place - 1] > key; --place) keys_[place] = keys_[place - 1];
      keys_[place] = key;
    }
  }

  std::int32_t low_ = 0, high_ = 0;
  int shift_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> keys_;  ///< distance and owner in one number
  std::vector<std::uint32_t> end_;   ///< place after the last of each bucket
};

}  // namespace macmi::citest::HWY_NAMESPACE::slices
HWY_AFTER_NAMESPACE();
#endif
