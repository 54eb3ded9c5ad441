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

#include "citest/lane_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using I32 = hn::ScalableTag<std::int32_t>;

/// Distances are looked at in 254 buckets of 2^shift units from `low` on: 0 is everything below low, 255 everything
/// beyond.
struct Buckets {
  std::int32_t low = 0;
  int shift = 0;

  Buckets() = default;
  Buckets(std::int32_t first, std::int32_t last) : low(first) {
    while (((last - first) >> shift) > 253) ++shift;
  }
  std::size_t of(std::int32_t distance) const {
    return distance < low ? 0 : static_cast<std::size_t>(std::min(((distance - low) >> shift) + 1, 255));
  }
};

/// Samples and distances, in the order of their buckets.
struct NearList {
  AlignedVector<std::uint32_t> id;
  AlignedVector<std::int32_t> distance;
  std::size_t size = 0;
  std::array<std::uint32_t, 257> start{};  ///< bucket b is start[b] … start[b + 1] - 1

  void resize(std::size_t capacity) {
    id.resize(capacity);
    distance.resize(capacity);
  }
  /// Entries whose bucket is at most that of `limit`.
  std::size_t up_to(const Buckets& buckets, std::int32_t limit) const { return start[buckets.of(limit) + 1]; }
};

class ListBuilder {
 public:
  explicit ListBuilder(const LaneTask& task)
      : fixed_(*task.fixed),
        conditioned_(task.problem->conditioned),
        all_in_z_(!conditioned_ && task.permuted->sorted_x.empty()) {
    const std::size_t capacity = (fixed_.n / FixedSide::block + 3) * FixedSide::block;
    near_.resize(capacity);
    near_yz_.resize(capacity);
    yz.resize(capacity);
    z.resize(capacity);
  }

  NearList yz, z;  ///< z is left empty where n_x is looked up

  /// All samples within `radius` of sample i.
  void build(std::size_t i, std::int32_t radius, const Buckets& buckets) {
    near_.size = 0;
    const std::size_t blocks = (fixed_.n + FixedSide::block - 1) / FixedSide::block;
    for (std::size_t b = 0; b < blocks; ++b)
      if (box_distance(b, i) <= radius) scan(b * FixedSide::block, i, radius);
    sort_into(yz, near_yz_.distance.data(), radius, buckets);
    if (conditioned_) sort_into(z, near_.distance.data(), radius, buckets);
    if (all_in_z_ && z.size == 0) list_everything();
  }

 private:
  std::int32_t box_distance(std::size_t block, std::size_t i) const {
    if (!fixed_.category_low.empty() && (fixed_.z_category[i] < fixed_.category_low[block] ||
                                         fixed_.z_category[i] > fixed_.category_high[block]))
      return lattice_range + 1;
    const auto& columns = fixed_.boxes_of_z ? fixed_.z : fixed_.y;
    std::int32_t distance = 0;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::size_t box = block * columns.size() + d;
      distance = std::max({distance, fixed_.box_low[box] - columns[d][i], columns[d][i] - fixed_.box_high[box]});
    }
    return distance;
  }

  template <class V>
  static V farther(V distance, const std::vector<std::int32_t>& column, std::size_t i, std::size_t j) {
    const I32 tag;
    return hn::Max(distance, hn::Abs(hn::Sub(hn::LoadU(tag, column.data() + j), hn::Set(tag, column[i]))));
  }

  void scan(std::size_t begin, std::size_t i, std::int32_t radius) {
    const I32 tag;
    const auto limit = hn::Set(tag, radius + 1), apart = hn::Set(tag, lattice_range + 1);
    for (std::size_t j = begin; j < begin + FixedSide::block; j += hn::Lanes(tag)) {
      const auto id = hn::Iota(tag, static_cast<std::int32_t>(j));
      auto inside = hn::Lt(id, hn::Set(tag, static_cast<std::int32_t>(fixed_.n)));
      auto dz = hn::Zero(tag);
      for (const auto& column : fixed_.z) dz = farther(dz, column, i, j);
      inside = hn::And(inside, hn::Lt(dz, limit));
      if (!fixed_.z_category.empty()) inside = hn::And(inside, same_category(fixed_.z_category, i, j));
      if (hn::AllFalse(tag, inside)) continue;
      auto dyz = dz;
      for (const auto& column : fixed_.y) dyz = farther(dyz, column, i, j);
      if (!fixed_.y_category.empty()) dyz = hn::IfThenElse(same_category(fixed_.y_category, i, j), dyz, apart);
      if (!conditioned_) inside = hn::And(inside, hn::Lt(dyz, limit));
      hn::CompressStore(hn::BitCast(hn::RebindToUnsigned<I32>(), id), hn::MaskFromVec(hn::BitCast(hn::RebindToUnsigned<I32>(), hn::VecFromMask(tag, inside))),
                        hn::RebindToUnsigned<I32>(), near_.id.data() + near_.size);
      hn::CompressStore(dz, inside, tag, near_.distance.data() + near_.size);
      near_.size += hn::CompressStore(dyz, inside, tag, near_yz_.distance.data() + near_.size);
    }
  }

  static hn::Mask<I32> same_category(const std::vector<std::int32_t>& category, std::size_t i, std::size_t j) {
    const I32 tag;
    return hn::Eq(hn::LoadU(tag, category.data() + j), hn::Set(tag, category[i]));
  }

  /// Counting sort by bucket of those within the radius.
  void sort_into(NearList& list, const std::int32_t* distance, std::int32_t radius, const Buckets& buckets) {
    list.start.fill(0);
    for (std::size_t e = 0; e < near_.size; ++e)
      if (distance[e] <= radius) ++list.start[buckets.of(distance[e]) + 1];
    for (std::size_t b = 0; b < 256; ++b) list.start[b + 1] += list.start[b];
    list.size = list.start[256];
    std::array<std::uint32_t, 257> next = list.start;
    for (std::size_t e = 0; e < near_.size; ++e) {
      if (distance[e] > radius) continue;
      const std::uint32_t place = next[buckets.of(distance[e])]++;
      list.id[place] = near_.id[e];
      list.distance[place] = distance[e];
    }
  }

  void list_everything() {
    z.size = fixed_.n;
    for (std::size_t j = 0; j < fixed_.n; ++j) {
      z.id[j] = static_cast<std::uint32_t>(j);
      z.distance[j] = 0;
    }
    z.start.fill(static_cast<std::uint32_t>(fixed_.n));
    z.start[0] = 0;
  }

  const FixedSide& fixed_;
  bool conditioned_, all_in_z_;
  NearList near_, near_yz_;
};

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
