// How many points lie in a rectangle of ranks. Points are a permutation: the one of y-rank j has x-rank x_of[j].
// A table holds the counts below every corner of a grid of blocks; the rest of the rectangle lies in four strips, each
// within a block of ranks, which are counted point by point in vectors.
#if defined(MACMI_CITEST_RANK_GRID) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_RANK_GRID
#undef MACMI_CITEST_RANK_GRID
#else
#define MACMI_CITEST_RANK_GRID
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "base/vector/aligned.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Ranks of the points with y_low <= y-rank < y_high and x_low <= x-rank < x_high.
struct RankBox {
  std::uint32_t x_low, x_high, y_low, y_high;
  std::uint32_t margins() const { return x_high - x_low + y_high - y_low; }
};

/// T is signed, and its unsigned twin holds n. O(n + table) to build; the table has at most 2^23 corners, so that up to
/// about n = 90,000 blocks have 32 ranks and a count takes constant time, and above time grows as n / 2,900. Where
/// counts are made around few of the points, larger blocks and a smaller table are faster.
template <class T>
class RankGrid {
 public:
  RankGrid(std::size_t n, std::size_t centres) : n_(n) {
    const auto enough = [=](std::size_t side) {
      return side <= 2896 && (centres == n || side * side <= 128 * centres);
    };
    while (!enough((n >> shift_) + 2)) ++shift_;
    block_ = std::uint32_t{1} << shift_;
    stride_ = (n >> shift_) + 2;
    corner_.resize(stride_ * stride_);
    x_of_.assign((stride_ + 1) * block_, T{0});
    y_of_.assign((stride_ + 1) * block_, T{0});
    slide_.assign(3 * block_, T{0});
    std::fill(slide_.begin() + block_, slide_.begin() + 2 * block_, static_cast<T>(-1));
  }

  void place(std::size_t y_rank, std::size_t x_rank) {
    x_of_[block_ + y_rank] = static_cast<T>(x_rank);
    y_of_[block_ + x_rank] = static_cast<T>(y_rank);
  }

  /// After all n points have their place.
  void build() {
    std::fill(corner_.begin(), corner_.end(), U{0});
    for (std::size_t j = 0; j < n_; ++j)
      ++corner_[((j >> shift_) + 1) * stride_ + (static_cast<U>(x_of_[block_ + j]) >> shift_) + 1];
    for (std::size_t row = 1; row < stride_; ++row) {
      U* counts = corner_.data() + row * stride_;
      U sum = 0;
      for (std::size_t c = 1; c < stride_; ++c) counts[c] = sum = static_cast<U>(sum + counts[c]);
      for (std::size_t c = 1; c < stride_; ++c) counts[c] = static_cast<U>(counts[c] + counts[c - stride_]);
    }
  }

  std::uint32_t count(const RankBox& box) const {
    const std::uint32_t y_first = (box.y_low + block_ - 1) >> shift_, y_last = box.y_high >> shift_;
    const std::uint32_t x_first = (box.x_low + block_ - 1) >> shift_, x_last = box.x_high >> shift_;
    if (HWY_UNLIKELY(y_first > y_last)) return within_block(x_of_, box.y_low, box.y_high, box.x_low, box.x_high);
    if (HWY_UNLIKELY(x_first > x_last)) return within_block(y_of_, box.x_low, box.x_high, box.y_low, box.y_high);
    const std::uint32_t y_begin = y_first << shift_, y_end = y_last << shift_;
    const U* low = corner_.data() + y_first * stride_;
    const U* high = corner_.data() + y_last * stride_;
    const U inside = static_cast<U>(high[x_last] - high[x_first] - low[x_last] + low[x_first]);
    const std::uint32_t x_begin = x_first << shift_, x_end = x_last << shift_;
    const V x_offset = offset(box.x_low), x_width = width(box.x_low, box.x_high);
    const V y_offset = offset(y_begin), y_width = width(y_begin, y_end);
    V sum = hn::Zero(d_);
    for (std::uint32_t s = 0; s < block_; s += static_cast<std::uint32_t>(hn::Lanes(d_))) {
      const V below = hn::And(hits(before(x_of_, y_begin) + s, x_offset, x_width), last(y_begin - box.y_low, s));
      const V above = hn::And(hits(after(x_of_, y_end) + s, x_offset, x_width), first(box.y_high - y_end, s));
      const V left = hn::And(hits(before(y_of_, x_begin) + s, y_offset, y_width), last(x_begin - box.x_low, s));
      const V right = hn::And(hits(after(y_of_, x_end) + s, y_offset, y_width), first(box.x_high - x_end, s));
      sum = hn::Add(sum, hn::Add(hn::Add(below, above), hn::Add(left, right)));
    }
    return inside + total(sum);
  }

 private:
  using U = std::make_unsigned_t<T>;
  using Tag = hn::CappedTag<T, 32>;  // a block has at least 32
  using V = hn::Vec<Tag>;

  // low <= rank < high is rank - low < high - low without sign, and one signed comparison after a shift of both sides.
  static constexpr std::uint32_t bias = std::uint32_t{1} << (8 * sizeof(T) - 1);
  V offset(std::uint32_t low) const { return hn::Set(d_, static_cast<T>(low + bias)); }
  V width(std::uint32_t low, std::uint32_t high) const { return hn::Set(d_, static_cast<T>(high - low + bias)); }
  V hits(const T* ranks, V offset, V width) const {
    return hn::VecFromMask(d_, hn::Lt(hn::Sub(hn::Load(d_, ranks), offset), width));
  }

  // The blocks on either side of a border; x_of_ and y_of_ begin with an empty block.
  const T* before(const base::AlignedVector<T>& ranks, std::uint32_t border) const { return ranks.data() + border; }
  const T* after(const base::AlignedVector<T>& ranks, std::uint32_t border) const {
    return ranks.data() + border + block_;
  }

  // Masks of the first or last so many of a block.
  V first(std::uint32_t length, std::uint32_t s) const {
    return hn::LoadU(d_, slide_.data() + 2 * block_ - length + s);
  }
  V last(std::uint32_t length, std::uint32_t s) const { return hn::LoadU(d_, slide_.data() + length + s); }

  std::uint32_t within_block(const base::AlignedVector<T>& ranks, std::uint32_t begin, std::uint32_t end,
                             std::uint32_t low, std::uint32_t high) const {
    const std::uint32_t border = begin >> shift_ << shift_;
    V sum = hn::Zero(d_);
    for (std::uint32_t s = 0; s < block_; s += static_cast<std::uint32_t>(hn::Lanes(d_)))
      sum = hn::Add(sum, hn::And(hits(after(ranks, border) + s, offset(low), width(low, high)),
                                 hn::And(last(border + block_ - begin, s), first(end - border, s))));
    return total(sum);
  }

  std::uint32_t total(V sum) const {
    if constexpr (hn::MaxLanes(Tag()) == 1) {
      return static_cast<std::uint32_t>(-hn::GetLane(sum));
    } else {
      const hn::Repartition<std::int32_t, Tag> wide;
      auto v = hn::BitCast(wide, sum);
      if constexpr (sizeof(T) == 2) v = hn::Add(hn::ShiftRight<16>(hn::ShiftLeft<16>(v)), hn::ShiftRight<16>(v));
      return static_cast<std::uint32_t>(-hn::GetLane(hn::SumOfLanes(wide, v)));
    }
  }

  Tag d_;
  std::size_t n_, stride_ = 0;
  int shift_ = 5;
  std::uint32_t block_ = 32;
  base::AlignedVector<U> corner_;
  base::AlignedVector<T> x_of_, y_of_;
  base::AlignedVector<T> slide_;  ///< a block of 0, one of -1, one of 0: the masks of all parts of a block
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
