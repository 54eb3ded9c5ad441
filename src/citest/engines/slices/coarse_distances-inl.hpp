// Distances of many choices in 16 bits: exact enough to find the radius that holds so many of them.
#if defined(MACMI_CITEST_COARSE_DISTANCES) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_COARSE_DISTANCES
#undef MACMI_CITEST_COARSE_DISTANCES
#else
#define MACMI_CITEST_COARSE_DISTANCES
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "base/vector/aligned.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::slices {
namespace hn = hwy::HWY_NAMESPACE;

/// A coarse distance and how many choices are within it, 0 if that is not known.
struct CoarseRadius {
  std::int32_t radius;
  double within;

  /// About the radius that so many are within: counts grow as in space.
  std::int32_t scaled_to(double wanted) const {
    return static_cast<std::int32_t>(radius * std::cbrt(std::max(wanted, 0.0) / std::max(within, 1.0)));
  }
};

class CoarseDistances {
 public:
  using I32 = hn::ScalableTag<std::int32_t>;
  static constexpr std::int32_t most = 32766;

  void reserve(std::size_t size) { values_.resize(size); }

  /// Distances of the choices 0 … numbers-1 of `samples` samples; distance(number, sample) is a vector of them, at most
  /// 2^30 each. What is beyond `most` is kept as beyond.
  template <class Distance>
  void fill(std::size_t numbers, std::size_t samples, Distance distance) {
    const I16 narrow;
    const std::size_t lanes = hn::Lanes(I32());
    numbers_ = numbers;
    size_ = (samples + 2 * lanes - 1) / (2 * lanes) * 2 * lanes;
    for (std::size_t c = 0; c < numbers; ++c)
      for (std::size_t e = 0; e < size_; e += 2 * lanes) {
        const auto second = e + lanes < samples ? distance(c, e + lanes) : hn::Set(I32(), 1 << 30);
        hn::Store(hn::ReorderDemote2To(narrow, distance(c, e), second), narrow, values_.data() + c * size_ + e);
      }
  }

  /// About the smallest coarse distance within which `rank` choices lie (a few more are, or a share of `slack`); last +
  /// 1 if there are too few.
  CoarseRadius at_rank(double rank, double slack, std::int32_t last, std::int32_t guess) const {
    if (rank <= 0) return {0, 0};
    std::int32_t low = -1, high = last + 1;  // too few within low, enough within high
    double few = 0, many = 0;                // how many; 0: not known
    const double aim = rank * (1 + slack / 2) + few_more / 2;
    for (std::int32_t at = std::clamp(guess, 0, last); high - low > 1;) {
      const auto within = static_cast<double>(count_within(at));
      (within < rank ? low : high) = at;
      (within < rank ? few : many) = within;
      if (within >= rank && within <= rank + slack * rank + few_more) break;
      if (high - low <= 1) break;
      const double next = few > 0 && many > 0 ? low + (high - low) * (aim - few) / (many - few)
                                              : at * std::cbrt(aim / std::max(within, 1.0));
      const std::int32_t margin = high <= last ? (high - low) / 16 : 0;  // between two counts, well between them
      at = std::clamp(static_cast<std::int32_t>(std::min(next, 1e9)), low + 1 + margin, high - 1 - margin);
    }
    return {high, many};
  }

  std::size_t count_within(std::int32_t radius) const {
    const I16 tag;
    const I32 wide;
    const std::size_t lanes = hn::Lanes(tag), size = numbers_ * size_;
    const auto beyond = hn::Set(tag, static_cast<std::int16_t>(radius + 1));
    std::size_t total = 0;
    for (std::size_t begin = 0; begin < size; begin += 30000 * lanes) {
      auto sum = hn::Zero(tag);
      for (std::size_t e = begin; e < std::min(size, begin + 30000 * lanes); e += lanes)
        sum = hn::Sub(sum, hn::VecFromMask(tag, hn::Lt(hn::Load(tag, values_.data() + e), beyond)));
      const auto even = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(wide, sum))),
                 odd = hn::ShiftRight<16>(hn::BitCast(wide, sum));
      total += static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(wide, hn::Add(even, odd))));
    }
    return total;
  }

  /// The standard deviation over permutations of the number of samples within `radius`, were they to choose
  /// independently of each other: a sample of whose choices a share s is within adds s (1 - s).
  double count_sd(std::int32_t radius, double mean) const {
    const I16 tag;
    const hn::Repartition<std::int32_t, I16> wide;
    const std::size_t lanes = hn::Lanes(tag);
    const auto beyond = hn::Set(tag, static_cast<std::int16_t>(radius + 1));
    auto sum = hn::Zero(wide), squares = sum;
    for (std::size_t e = 0; e < size_; e += lanes) {
      auto within = hn::Zero(tag);
      for (std::size_t c = 0; c < numbers_; ++c)
        within = hn::Sub(within, hn::VecFromMask(tag, hn::Lt(hn::Load(tag, values_.data() + c * size_ + e), beyond)));
      const auto even = hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(wide, within))),
                 odd = hn::ShiftRight<16>(hn::BitCast(wide, within));
      sum = hn::Add(sum, hn::Add(even, odd));
      squares = hn::Add(squares, hn::Add(hn::Mul(even, even), hn::Mul(odd, odd)));
    }
    const double s = hn::GetLane(hn::SumOfLanes(wide, sum)), q = hn::GetLane(hn::SumOfLanes(wide, squares));
    return std::sqrt(std::max(0.0, mean * s - q) / (mean * mean) + 1);
  }

 private:
  static constexpr double few_more = 6;
  using I16 = hn::Repartition<std::int16_t, I32>;

  base::AlignedVector<std::int16_t> values_;  ///< [choice][sample]
  std::size_t numbers_ = 0, size_ = 0;
};

}  // namespace macmi::citest::HWY_NAMESPACE::slices
HWY_AFTER_NAMESPACE();
#endif
