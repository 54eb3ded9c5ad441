// The samples near one sample in z, with their distances in z and in (y, z).
#if defined(MACMI_CITEST_NEAR_SCAN) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_NEAR_SCAN
#undef MACMI_CITEST_NEAR_SCAN
#else
#define MACMI_CITEST_NEAR_SCAN
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "base/vector/aligned.hpp"
#include "base/vector/compress-inl.hpp"
#include "citest/engines/fixed_side.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::Kept;

class NearScan {
 public:
  NearScan(const StatisticProblem& problem, const FixedSide& fixed)
      : fixed_(fixed), apart_(problem.sample.apart()), conditioned_(problem.conditioned) {
    id_.resize(capacity());
    z_.resize(capacity());
    yz_.resize(capacity());
  }

  std::size_t capacity() const { return (fixed_.n / FixedSide::block + 3) * FixedSide::block; }

  /// All samples within `radius` of sample i in z; without z, in y.
  void find(std::size_t i, std::int32_t radius) {
    size_ = 0;
    const std::size_t blocks = (fixed_.n + FixedSide::block - 1) / FixedSide::block;
    for (std::size_t b = 0; b < blocks; ++b)
      if (box_distance(b, i) <= radius) scan(b * FixedSide::block, i, radius);
  }

  std::size_t size() const { return size_; }
  const std::int32_t* id() const { return id_.data(); }
  const std::int32_t* z() const { return z_.data(); }
  const std::int32_t* yz() const { return yz_.data(); }

 private:
  using I32 = hn::ScalableTag<std::int32_t>;

  std::int32_t box_distance(std::size_t block, std::size_t i) const {
    if (!fixed_.category_low.empty() &&
        (fixed_.z_category[i] < fixed_.category_low[block] || fixed_.z_category[i] > fixed_.category_high[block]))
      return apart_;
    if (conditioned_ && !fixed_.boxes_of_z) return 0;  // boxes of y say nothing about z
    const auto& columns = fixed_.boxes_of_z ? fixed_.z : fixed_.y;
    std::int32_t distance = 0;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::size_t box = block * columns.size() + d;
      distance = std::max({distance, fixed_.box_low[box] - columns[d][i], columns[d][i] - fixed_.box_high[box]});
    }
    return distance;
  }

  static hn::Vec<I32> farther(hn::Vec<I32> distance, const std::vector<std::int32_t>& column, std::size_t i,
                              std::size_t j) {
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
      if (!fixed_.z_category.empty()) inside = hn::And(inside, hn::MaskFromVec(same_category(fixed_.z_category, i, j)));
      if (hn::AllFalse(tag, inside)) continue;
      auto dyz = dz;
      for (const auto& column : fixed_.y) dyz = farther(dyz, column, i, j);
      if (!fixed_.y_category.empty())
        dyz = hn::IfThenElse(hn::MaskFromVec(same_category(fixed_.y_category, i, j)), dyz, hn::Set(tag, apart_));
      if (!conditioned_) inside = hn::And(inside, hn::Lt(dyz, limit));
      const Kept kept(inside);
      kept.store(id, id_.data() + size_);
      kept.store(dz, z_.data() + size_);
      kept.store(dyz, yz_.data() + size_);
      size_ += kept.count();
    }
  }

  const FixedSide& fixed_;
  std::int32_t apart_;
  bool conditioned_;
  base::AlignedVector<std::int32_t> id_, z_, yz_;
  std::size_t size_ = 0;
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
