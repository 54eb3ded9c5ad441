// The samples near one sample in (y, z) and in z: everything about it that permutations of x leave alone.
#if defined(MACMI_CITEST_LANE_LISTS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_LANE_LISTS
#undef MACMI_CITEST_LANE_LISTS
#else
#define MACMI_CITEST_LANE_LISTS
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "citest/engines/near_scan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Samples and distances in the order of 256 equal buckets of distance.
struct NearList {
  const std::uint32_t* id = nullptr;
  const std::int32_t* distance = nullptr;
  const std::uint32_t* start = nullptr;  ///< bucket b is start[b] … start[b + 1] - 1
  std::size_t size() const { return start[256]; }
};

/// The samples near one sample in (y, z) and in z, up to `radius`.
struct NearLists {
  NearList yz, z;  ///< z is left empty where n_x is looked up
  std::int32_t radius = 0;
  int shift = 0;  ///< buckets are 2^shift wide

  std::size_t bucket(std::int32_t distance) const { return static_cast<std::size_t>(distance >> shift); }
  /// Entries in the buckets before that of `limit`: all are nearer.
  std::size_t surely_within(const NearList& list, std::int32_t limit) const { return list.start[bucket(limit)]; }
  /// Entries up to the bucket of `limit`: all others are farther.
  std::size_t perhaps_within(const NearList& list, std::int32_t limit) const { return list.start[bucket(limit) + 1]; }
};

class ListBuilder {
 public:
  ListBuilder(const StatisticProblem& problem, const FixedSide& fixed, bool x_looked_up)
      : n_(fixed.n),
        conditioned_(problem.conditioned),
        all_in_z_(!conditioned_ && !x_looked_up),
        near_(problem, fixed) {
    bucket_.resize(near_.capacity());
    if (all_in_z_) list_everything();
  }

  /// All samples within `radius` of sample i. The lists live in `store`, which is overwritten.
  NearLists build(std::size_t i, std::int32_t radius, base::AlignedVector<std::uint32_t>& store) {
    near_.find(i, radius);
    const auto in_yz = static_cast<std::size_t>(
        std::count_if(near_.yz(), near_.yz() + near_.size(), [=](std::int32_t d) { return d <= radius; }));
    store.resize(2 * (in_yz + starts) + 2 * (conditioned_ ? near_.size() + starts : 0));
    sort_into(store.data(), in_yz, near_.yz(), radius);
    if (conditioned_) sort_into(store.data() + 2 * (in_yz + starts), near_.size(), near_.z(), radius);
    return read(radius, store);
  }

  /// The lists in a store that build() filled.
  NearLists read(std::int32_t radius, const base::AlignedVector<std::uint32_t>& store) const {
    NearLists lists;
    lists.radius = radius;
    lists.shift = shift_of(radius);
    lists.yz = view(store.data());
    if (conditioned_) lists.z = view(store.data() + 2 * (lists.yz.size() + starts));
    if (all_in_z_) lists.z = everything_;
    return lists;
  }

 private:
  /// In memory: the starts of the buckets, then samples, then distances.
  static constexpr std::size_t starts = 264;

  static int shift_of(std::int32_t radius) {
    int shift = 0;
    while ((radius >> shift) > 255) ++shift;
    return shift;
  }

  static NearList view(const std::uint32_t* memory) {
    const std::size_t size = memory[256];
    return {memory + starts, reinterpret_cast<const std::int32_t*>(memory + starts + size), memory};
  }

  /// Counting sort by bucket of those within the radius.
  void sort_into(std::uint32_t* memory, std::size_t size, const std::int32_t* distance, std::int32_t radius) {
    std::uint32_t* start = memory;
    std::uint32_t* id = memory + starts;
    std::int32_t* sorted = reinterpret_cast<std::int32_t*>(id + size);
    const int shift = shift_of(radius);
    std::fill(start, start + starts, 0u);
    for (std::size_t e = 0; e < near_.size(); ++e) {
      bucket_[e] = distance[e] <= radius ? static_cast<std::uint32_t>(distance[e] >> shift) : 256;
      ++start[bucket_[e] + 1];
    }
    for (std::size_t b = 0; b < 257; ++b) start[b + 1] += start[b];
    std::array<std::uint32_t, 257> next;
    std::copy(start, start + 257, next.begin());
    for (std::size_t e = 0; e < near_.size(); ++e) {
      if (bucket_[e] == 256) continue;
      const std::uint32_t place = next[bucket_[e]]++;
      id[place] = static_cast<std::uint32_t>(near_.id()[e]);
      sorted[place] = distance[e];
    }
  }

  void list_everything() {
    everything_memory_.resize(starts + 2 * n_);
    const auto begin = everything_memory_.begin();
    std::fill(begin, everything_memory_.end(), 0u);
    std::fill(begin + 1, begin + starts, static_cast<std::uint32_t>(n_));
    std::iota(begin + starts, begin + static_cast<std::ptrdiff_t>(starts + n_), 0u);
    everything_ = view(everything_memory_.data());
  }

  std::size_t n_;
  bool conditioned_, all_in_z_;
  NearScan near_;
  base::AlignedVector<std::uint32_t> bucket_;
  base::AlignedVector<std::uint32_t> everything_memory_;
  NearList everything_;
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
