#include "citest/engines/lanes/lane_kernel.hpp"

#include "citest/engines/lanes/lane_window.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/lanes/lane_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "citest/engines/lanes/lane_count-inl.hpp"
#include "citest/engines/lanes/lane_lists-inl.hpp"
#include "citest/engines/lanes/lane_rows-inl.hpp"
#include "citest/engines/lanes/lane_select-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {

/// One batch of permutations, one sample after the other.
template <class T, bool one_column>
class PointSweep {
 public:
  PointSweep(const LaneTask<T>& task, StatisticSum* sums)
      : task_(task),
        p_(*task.problem),
        builder_(p_, *task.fixed, !task.permuted->sorted_x.empty()),
        select_(),
        count_(p_, *task.permuted),
        sums_(sums) {}

  void add_terms(std::size_t centre, std::size_t batch) {
    const std::size_t i = p_.centre(centre);
    const PermutedSide<T>& x = *task_.permuted;
    const std::size_t n = p_.sample.n, scales = p_.ks.size();
    x_ = {x.rows.data() + batch * n * x.columns * batch_lanes,
          x.category.empty() ? nullptr : x.category.data() + batch * n * batch_lanes, x.columns, i,
          static_cast<T>(p_.sample.apart())};
    cell_size_ = x.cell_size.empty() ? nullptr : x.cell_size.data() + (batch * n + i) * batch_lanes;
    LaneWindow<T>* windows = task_.windows->data() + centre * scales;
    const bool known = windows[0].high >= 0;
    if (known) recall(centre, windows);
    for (std::size_t q = scales; q-- > 0;) {
      set_need(q);
      if (known)
        look(windows[q]);
      else
        explore(windows[q], q + 1 == scales);
      StatisticSum* sums = sums_ + batch * batch_lanes * scales + q;
      count_.template add<one_column>(x_, lists_, radii_, need_, sums, scales);
      add_missed(sums, scales);
    }
    if (!known) guess_ = std::max(windows[scales - 1].high, 1);
  }

 private:
  /// How many samples, i included, the radius has to hold; 0 for a sample without a neighbour.
  void set_need(std::size_t q) {
    if (!cell_size_) {
      const std::uint32_t size = task_.fixed->cell_size[x_.i];
      std::fill(std::begin(need_), std::end(need_),
                size < 2 ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[q], size - 1)) + 1);
      return;
    }
    for (std::size_t lane = 0; lane < batch_lanes; ++lane) {
      const std::uint32_t size = cell_size_[lane];
      need_[lane] = size < 2 ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[q], size - 1)) + 1;
    }
  }

  /// The lists of a centre, from where they were left or anew.
  void recall(std::size_t centre, const LaneWindow<T>* windows) {
    std::int32_t radius = 0;
    for (std::size_t q = 0; q < p_.ks.size(); ++q) radius = std::max(radius, windows[q].high);
    radius = std::min(radius + radius / 4, p_.sample.range);  // most lanes that a window misses end within
    base::AlignedVector<std::uint32_t>& store = (*task_.stored)[centre];
    if (!store.empty()) {
      lists_ = builder_.read(radius, store);
      return;
    }
    lists_ = builder_.build(x_.i, radius, scratch_);
    const auto bytes = static_cast<std::int64_t>(scratch_.size() * sizeof(scratch_[0]));
    if (task_.room->fetch_sub(bytes) >= bytes)
      store = scratch_;
    else
      task_.room->fetch_add(bytes);
  }

  void look(const LaneWindow<T>& window) {
    for (std::int32_t& low : scale_.low) low = window.low[0];
    if constexpr (one_column) {
      const T* own = x_.row(x_.i);
      for (std::size_t s = 0; s + 1 < LaneWindow<T>::slots; ++s)
        for (std::size_t lane = 0; lane < batch_lanes; ++lane)
          scale_.low[lane] = own[lane] > window.upper[s] ? window.low[s + 1] : scale_.low[lane];
    }
    scale_.fit(window.width);
    select(std::min(lists_.radius, window.high));
  }

  void select(std::int32_t reach) {
    select_.template select<one_column>(x_, lists_.yz, lists_.perhaps_within(lists_.yz, reach), scale_, need_, radii_);
    radii_.forget_beyond(reach);
  }

  /// The first batch: nothing is known but the radius of the sample before. The largest k comes first, and its lists
  /// serve the others.
  void explore(LaneWindow<T>& window, bool first) {
    std::int32_t radius = first ? std::min(guess_, p_.sample.range) : lists_.radius;
    for (;; radius = std::min(radius + radius / 2 + 1, p_.sample.range)) {
      if (first) lists_ = builder_.build(x_.i, radius, scratch_);
      std::fill(std::begin(scale_.low), std::end(scale_.low), 0);
      scale_.fit(radius);
      select(radius);
      if (!first || std::popcount(radii_.found) >= 60 || radius == p_.sample.range) break;
    }
    std::vector<std::pair<T, std::int32_t>> seen;
    for (std::size_t lane = 0; lane < batch_lanes; ++lane)
      if (radii_.found >> lane & 1) seen.emplace_back(one_column ? x_.row(x_.i)[lane] : T{0}, radii_.radius[lane]);
    window = learn_window(seen, p_.sample.range);
  }

  /// Lanes that the window missed, one by one.
  void add_missed(StatisticSum* sums, std::size_t stride) {
    for (std::uint64_t rest = ~radii_.found; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (need_[lane] == 0) continue;
      while (!add_one(lane, sums[lane * stride]))
        lists_ = builder_.build(x_.i, std::min(lists_.radius + lists_.radius / 2 + 1, p_.sample.range), scratch_);
    }
  }

  /// False when the lists do not reach far enough.
  bool add_one(std::size_t lane, StatisticSum& sum) {
    distances_.clear();
    for (std::size_t e = 0; e < lists_.yz.size(); ++e)
      distances_.push_back(std::max(x_.distance(lists_.yz.id[e], lane), lists_.yz.distance[e]));
    if (distances_.size() < need_[lane]) return false;
    const auto kth = distances_.begin() + (need_[lane] - 1);
    std::nth_element(distances_.begin(), kth, distances_.end());
    const std::int32_t radius = *kth;
    if (radius > lists_.radius) return false;
    const auto within = static_cast<std::size_t>(
        std::count_if(distances_.begin(), distances_.end(), [=](std::int32_t d) { return d <= radius; }));
    count_.add_one(x_, lists_, lane, radius, within, need_[lane], sum);
    return true;
  }

  const LaneTask<T>& task_;
  const StatisticProblem& p_;
  ListBuilder builder_;
  NearLists lists_;
  base::AlignedVector<std::uint32_t> scratch_;
  LaneSelect<T> select_;
  LaneCount<T> count_;
  StatisticSum* sums_;
  LaneRows<T> x_;
  const std::uint32_t* cell_size_ = nullptr;
  alignas(64) std::uint32_t need_[batch_lanes];
  Scale scale_;
  LaneRadii radii_;
  std::vector<std::int32_t> distances_;
  std::int32_t guess_ = wide_lattice;
};

template <class T>
void AddTerms(const LaneTask<T>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  const auto sweep = [&](auto&& points) {
    for (std::size_t batch = 0; batch < task.permuted->batches; ++batch)
      for (std::size_t centre = begin; centre < end; ++centre) points.add_terms(centre, batch);
  };
  if (task.permuted->columns == 1 && task.permuted->category.empty())
    sweep(PointSweep<T, true>(task, sums));
  else
    sweep(PointSweep<T, false>(task, sums));
}

void AddTerms16(const LaneTask<std::int16_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  AddTerms(task, begin, end, sums);
}
void AddTerms32(const LaneTask<std::int32_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  AddTerms(task, begin, end, sums);
}

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(AddTerms16);
HWY_EXPORT(AddTerms32);

void add_lane_terms(const LaneTask<std::int16_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddTerms16)(task, begin, end, sums);
}
void add_lane_terms(const LaneTask<std::int32_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddTerms32)(task, begin, end, sums);
}

}  // namespace macmi::citest
#endif
