// Where the radii of one sample will lie, for every x that it can get.
#if defined(MACMI_CITEST_SLICE_WINDOWS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_SLICE_WINDOWS
#undef MACMI_CITEST_SLICE_WINDOWS
#else
#define MACMI_CITEST_SLICE_WINDOWS
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "citest/engines/slices/coarse_distances-inl.hpp"
#include "citest/engines/slices/slice_near-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::slices {
namespace hn = hwy::HWY_NAMESPACE;

class SliceWindows {
 public:
  struct Window {
    std::int32_t low, high;
  };

  SliceWindows(const SliceTask& task, const SliceNear& near)
      : task_(task), near_(near), middles_(task.problem->ks.size()) {
    coarse_.reserve(task.choices->most * near.capacity());
  }

  std::size_t size() const { return windows_.size(); }
  const Window& operator[](std::size_t slot) const { return windows_[slot]; }
  std::int32_t lowest() const { return lowest_; }
  std::int32_t highest() const { return highest_; }

  /// Those of sample i, by what is near it; false when that does not reach far enough to tell.
  bool find(std::size_t i, std::size_t scale, std::size_t need, std::int32_t radius) {
    windows_.clear();
    lowest_ = task_.problem->sample.range;
    highest_ = 0;
    need_ = static_cast<double>(need);
    const std::uint32_t* first = task_.choices->first.data() + i;
    for (std::size_t slot = 0; slot < first[1] - first[0]; ++slot) {
      own_.clear();
      for (std::size_t d = 0; d < task_.problem->sample.x.columns.size(); ++d) own_.push_back(near_.own_x(d, slot));
      Window window{0, radius};
      if (!find_window(radius, middles_[scale], window)) return false;
      windows_.push_back(window);
      lowest_ = std::min(lowest_, window.low);
      highest_ = std::max(highest_, window.high);
    }
    return true;
  }

 private:
  /// Standard deviations of the count around the expected radius that a window covers.
  static constexpr double spread = 3.1;

  bool find_window(std::int32_t radius, std::int32_t& usual, Window& window) {
    int shift = 0;
    while ((radius >> shift) > CoarseDistances::most) ++shift;
    coarse_.fill(near_.numbers(), near_.inner_end(), [&](std::size_t c, std::size_t e) HWY_ATTR {
      return hn::ShiftRightSame(
          hn::Max(near_.x(c).distance(own_.data(), e), hn::Load(SliceNear::I32(), near_.yz() + e)), shift);
    });
    // Every choice is made by about one in `mean` permutations.
    const double mean = task_.choices->mean();
    const std::int32_t reach = radius >> shift, last = radius == task_.problem->sample.range ? reach : reach - 1;
    const CoarseRadius middle = coarse_.at_rank(need_ * mean, 0.2, last, usual > 0 ? usual : last / 2);
    if (middle.radius > last && last < reach) return false;
    const double sd = coarse_.count_sd(middle.radius, mean);
    const double highest = (need_ + spread * sd + 2) * mean, lowest = (need_ - spread * sd - 1) * mean;
    const CoarseRadius top = coarse_.at_rank(highest, 0.04, last, middle.scaled_to(highest * 1.02));
    if (top.radius > last && last < reach) return false;
    const CoarseRadius bottom = coarse_.at_rank(lowest * 0.96, 0.04, last, middle.scaled_to(lowest * 0.98));
    usual = middle.radius;
    window.low = std::min(bottom.radius << shift, radius);
    window.high =
        static_cast<std::int32_t>(std::min<std::int64_t>((std::int64_t{top.radius + 1} << shift) - 1, radius));
    return true;
  }

  const SliceTask& task_;
  const SliceNear& near_;
  CoarseDistances coarse_;         ///< of the samples near in (y, z)
  std::vector<std::int32_t> own_;  ///< x of the slot
  std::vector<Window> windows_;
  std::int32_t lowest_ = 0, highest_ = 0;
  double need_ = 0;
  std::vector<std::int32_t> middles_;  ///< of the slot before, for every scale: first guesses
};

}  // namespace macmi::citest::HWY_NAMESPACE::slices
HWY_AFTER_NAMESPACE();
#endif
