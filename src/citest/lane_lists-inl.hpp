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

#include "citest/lane_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Samples and distances in the order of 256 equal buckets of distance.
struct NearList {
  const std::uint32_t* id = nullptr;
  const std::int32_t* distance = nullptr;
  const std::uint32_t* start = nullptr;  ///< bucket b is start[b] … start[b + 1] - 1
  std::size_t size() const { return start[256]; }
};

/// What is near one sample in (y, z) and in z, up to `radius`.
struct NearLists {
  NearList yz, z;  ///< z is left empty where n_x is looked up
  std::int32_t radius = 0;
  int shift = 0;   ///< buckets are 2^shift wide

  std::size_t bucket(std::int32_t distance) const { return static_cast<std::size_t>(distance >> shift); }
  /// Entries in the buckets before that of `limit`: all are nearer.
  std::size_t surely_within(const NearList& list, std::int32_t limit) const { return list.start[bucket(limit)]; }
  /// Entries up to the bucket of `limit`: all others are farther.
  std::size_t perhaps_within(const NearList& list, std::int32_t limit) const { return list.start[bucket(limit) + 1]; }
};

class ListBuilder {
 public:
  ListBuilder(const StatisticProblem& problem, const FixedSide& fixed, bool x_looked_up)
      : fixed_(fixed),
        apart_(problem.sample.apart()),
        conditioned_(problem.conditioned),
        all_in_z_(!conditioned_ && !x_looked_up) {
    const std::size_t capacity = (fixed_.n / FixedSide::block + 3) * FixedSide::block;
    near_.resize(capacity);
    near_z_.resize(capacity);
    near_yz_.resize(capacity);
    bucket_.resize(capacity);
    if (all_in_z_) list_everything();
  }

  /// All samples within `radius` of sample i. The lists live in `store`, which is overwritten.
  NearLists build(std::size_t i, std::int32_t radius, AlignedVector<std::uint32_t>& store) {
    found_ = 0;
    const std::size_t blocks = (fixed_.n + FixedSide::block - 1) / FixedSide::block;
    for (std::size_t b = 0; b < blocks; ++b)
      if (box_distance(b, i) <= radius) scan(b * FixedSide::block, i, radius);
    const auto in_yz = static_cast<std::size_t>(std::count_if(near_yz_.data(), near_yz_.data() + found_,
                                                              [=](std::int32_t d) { return d <= radius; }));
    store.resize(2 * (in_yz + starts) + 2 * (conditioned_ ? found_ + starts : 0));
    sort_into(store.data(), in_yz, near_yz_.data(), radius);
    if (conditioned_) sort_into(store.data() + 2 * (in_yz + starts), found_, near_z_.data(), radius);
    return read(radius, store);
  }

  /// The lists in a store that build() filled.
  NearLists read(std::int32_t radius, const AlignedVector<std::uint32_t>& store) const {
    NearLists lists;
    lists.radius = radius;
    lists.shift = shift_of(radius);
    lists.yz = view(store.data());
    if (conditioned_) lists.z = view(store.data() + 2 * (lists.yz.size() + starts));
    if (all_in_z_) lists.z = everything_;
    return lists;
  }

 private:
  using I32 = hn::ScalableTag<std::int32_t>;
  using U32 = hn::ScalableTag<std::uint32_t>;
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

  std::int32_t box_distance(std::size_t block, std::size_t i) const {
    if (!fixed_.category_low.empty() && (fixed_.z_category[i] < fixed_.category_low[block] ||
                                         fixed_.z_category[i] > fixed_.category_high[block]))
      return apart_;
    const auto& columns = fixed_.boxes_of_z ? fixed_.z : fixed_.y;
    std::int32_t distance = 0;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::size_t box = block * columns.size() + d;
      distance = std::max({distance, fixed_.box_low[box] - columns[d][i], columns[d][i] - fixed_.box_high[box]});
    }
    return distance;
  }

  static hn::Vec<I32> farther(hn::Vec<I32> distance, const std::vector<std::int32_t>& column, std::size_t i, std::size_t j) {
    const I32 tag;
    return hn::Max(distance, hn::Abs(hn::Sub(hn::LoadU(tag, column.data() + j), hn::Set(tag, column[i]))));
  }

  static hn::Vec<I32> same_category(const std::vector<std::int32_t>& category, std::size_t i, std::size_t j) {
    const I32 tag;
    return hn::VecFromMask(tag, hn::Eq(hn::LoadU(tag, category.data() + j), hn::Set(tag, category[i])));
  }

  void scan(std::size_t begin, std::size_t i, std::int32_t radius) {
    const I32 tag;
    const auto limit = hn::Set(tag, radius + 1);
    for (std::size_t j = begin; j < begin + FixedSide::block; j += hn::Lanes(tag)) {
      const auto id = hn::Iota(tag, static_cast<std::int32_t>(j));
      auto inside = hn::Lt(id, hn::Set(tag, static_cast<std::int32_t>(fixed_.n)));
      auto dz = hn::Zero(tag);
      for (const auto& column : fixed_.z) dz = farther(dz, column, i, j);
      inside = hn::And(inside, hn::Lt(dz, limit));
      if (!fixed_.z_category.empty())
        inside = hn::And(inside, hn::MaskFromVec(same_category(fixed_.z_category, i, j)));
      if (hn::AllFalse(tag, inside)) continue;
      auto dyz = dz;
      for (const auto& column : fixed_.y) dyz = farther(dyz, column, i, j);
      if (!fixed_.y_category.empty())
        dyz = hn::IfThenElse(hn::MaskFromVec(same_category(fixed_.y_category, i, j)), dyz, hn::Set(tag, apart_));
      if (!conditioned_) inside = hn::And(inside, hn::Lt(dyz, limit));
      hn::CompressStore(id, inside, tag, reinterpret_cast<std::int32_t*>(near_.data()) + found_);
      hn::CompressStore(dz, inside, tag, near_z_.data() + found_);
      found_ += hn::CompressStore(dyz, inside, tag, near_yz_.data() + found_);
    }
  }

  /// Counting sort by bucket of those within the radius.
  void sort_into(std::uint32_t* memory, std::size_t size, const std::int32_t* distance, std::int32_t radius) {
    std::uint32_t* start = memory;
    std::uint32_t* id = memory + starts;
    std::int32_t* sorted = reinterpret_cast<std::int32_t*>(id + size);
    const int shift = shift_of(radius);
    std::fill(start, start + starts, 0u);
    for (std::size_t e = 0; e < found_; ++e) {
      bucket_[e] = distance[e] <= radius ? static_cast<std::uint32_t>(distance[e] >> shift) : 256;
      ++start[bucket_[e] + 1];
    }
    for (std::size_t b = 0; b < 257; ++b) start[b + 1] += start[b];
    std::array<std::uint32_t, 257> next;
    std::copy(start, start + 257, next.begin());
    for (std::size_t e = 0; e < found_; ++e) {
      if (bucket_[e] == 256) continue;
      const std::uint32_t place = next[bucket_[e]]++;
      id[place] = near_[e];
      sorted[place] = distance[e];
    }
  }

  void list_everything() {
    everything_memory_.resize(starts + 2 * fixed_.n);
    const auto begin = everything_memory_.begin();
    std::fill(begin, everything_memory_.end(), 0u);
    std::fill(begin + 1, begin + starts, static_cast<std::uint32_t>(fixed_.n));
    std::iota(begin + starts, begin + static_cast<std::ptrdiff_t>(starts + fixed_.n), 0u);
    everything_ = view(everything_memory_.data());
  }

  const FixedSide& fixed_;
  std::int32_t apart_;
  bool conditioned_, all_in_z_;
  AlignedVector<std::uint32_t> near_, bucket_;
  AlignedVector<std::int32_t> near_z_, near_yz_;
  std::size_t found_ = 0;
  AlignedVector<std::uint32_t> everything_memory_;
  NearList everything_;
};

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
