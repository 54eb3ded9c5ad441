#include "citest/lane_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/lane_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "citest/lane_count-inl.hpp"
#include "citest/lane_lists-inl.hpp"
#include "citest/lane_select-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {

/// One sample after the other: its lists, then every batch of permutations.
template <bool one_column>
class PointSweep {
 public:
  PointSweep(const LaneTask& task, StatisticSum* sums)
      : task_(task), p_(*task.problem), lists_(task), select_(task.fixed->n), count_(task), sums_(sums) {}

  void add_terms(std::size_t i) {
    Window& window = (*task_.windows)[i];
    for (std::size_t batch = 0; batch < task_.permuted->batches; ++batch) {
      if (window.low < 0) {
        explore(i, batch, window);
        continue;
      }
      if (built_for_ != i) {
        radius_ = window.high.back();
        buckets_ = Buckets(window.low, radius_);
        lists_.build(i, radius_, buckets_);
        built_for_ = i;
      }
      evaluate(i, batch, window.high.data());
    }
    for (const Missed& missed : missed_) add_one(i, missed);
    missed_.clear();
    built_for_ = none;
  }

 private:
  struct Missed {
    std::size_t batch, lane, scale;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  LaneRows rows(std::size_t i, std::size_t batch) const {
    const PermutedSide& x = *task_.permuted;
    const std::size_t n = task_.fixed->n;
    return {x.rows.data() + batch * n * x.columns * batch_lanes,
            x.category.empty() ? nullptr : x.category.data() + batch * n * batch_lanes, x.columns, i};
  }

  std::uint32_t cell_size(std::size_t i, std::size_t batch, std::size_t lane) const {
    const PermutedSide& x = *task_.permuted;
    if (x.cell_size.empty()) return (*task_.fixed_cell_size)[i];
    return x.cell_size[(batch * task_.fixed->n + i) * batch_lanes + lane];
  }

  /// How many samples, i included, the radius has to hold; 0 for a sample without a neighbour.
  std::uint32_t needed(std::size_t i, std::size_t batch, std::size_t lane, std::size_t scale) const {
    const std::uint32_t size = cell_size(i, batch, lane);
    return size < 2 ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[scale], size - 1)) + 1;
  }

  /// The first batch: nothing is known but the radius of the sample before. Sets the window.
  void explore(std::size_t i, std::size_t batch, Window& window) {
    const std::vector<std::int32_t> unlimited(p_.ks.size(), lattice_range);
    for (std::int32_t radius = guess_;; radius += radius / 2 + 1) {
      radius_ = std::min(radius, lattice_range);
      buckets_ = Buckets(0, radius_);
      lists_.build(i, radius_, buckets_);
      if (evaluate(i, batch, unlimited.data(), &window) || radius_ == lattice_range) break;
    }
    guess_ = window.high.back();
  }

  /// All scales of one batch. When exploring: false, and nothing added, if the lists do not reach far enough.
  bool evaluate(std::size_t i, std::size_t batch, const std::int32_t* high, Window* exploring = nullptr) {
    const LaneRows x = rows(i, batch);
    const std::size_t scales = p_.ks.size();
    std::vector<LaneRadii>& radii = radii_;
    radii.resize(scales);
    select_.template look<one_column>(x, lists_.yz, lists_.yz.up_to(buckets_, std::min(radius_, high[scales - 1])), buckets_);
    alignas(64) std::uint32_t need[batch_lanes];
    for (std::size_t q = scales; q-- > 0;) {
      for (std::size_t lane = 0; lane < batch_lanes; ++lane) need[lane] = needed(i, batch, lane, q);
      const std::int32_t reach = std::min(radius_, high[q]);
      select_.template select<one_column>(x, lists_.yz, lists_.yz.up_to(buckets_, reach), buckets_, need, radii[q]);
      radii[q].forget_beyond(reach);
      if (exploring && std::popcount(radii[q].beyond) > 2) return false;
    }
    if (exploring) set_window(*exploring);
    for (std::size_t q = 0; q < scales; ++q) {
      count_.template add<one_column>(x, lists_, buckets_, radii[q], sums_ + batch * batch_lanes * scales + q, scales,
                             [&](std::size_t lane) { return needed(i, batch, lane, q) - 1; });
      for (std::size_t lane = 0; lane < batch_lanes; ++lane)
        if (!(radii[q].found >> lane & 1) && needed(i, batch, lane, q) > 0) missed_.push_back({batch, lane, q});
    }
    return true;
  }

  /// Radii vary between permutations: a quarter of the range seen is added on either side.
  void set_window(Window& window) const {
    window.high.clear();
    std::int32_t lowest = radius_;
    for (const LaneRadii& r : radii_) {
      std::int32_t low = radius_, high = 0;
      for (std::size_t lane = 0; lane < batch_lanes; ++lane) {
        if (!(r.found >> lane & 1)) continue;
        low = std::min(low, r.radius[lane]);
        high = std::max(high, r.radius[lane]);
      }
      if (r.found == 0) low = high = radius_;
      const std::int32_t margin = (high - low) / 4 + 1;
      lowest = std::min(lowest, low - margin);
      window.high.push_back(std::min(high + margin, lattice_range));
    }
    window.low = std::max(lowest, 0);
    for (std::size_t q = 1; q < window.high.size(); ++q) window.high[q] = std::max(window.high[q], window.high[q - 1]);
  }

  /// One lane that the window missed.
  void add_one(std::size_t i, const Missed& missed) {
    const LaneRows x = rows(i, missed.batch);
    const std::uint32_t need = needed(i, missed.batch, missed.lane, missed.scale);
    for (;;) {
      const NearList& yz = lists_.yz;
      distances_.clear();
      for (std::size_t e = 0; e < yz.size; ++e)
        distances_.push_back(std::max(x.distance(yz.id[e], missed.lane), yz.distance[e]));
      if (distances_.size() >= need) {
        const auto kth = distances_.begin() + (need - 1);
        std::nth_element(distances_.begin(), kth, distances_.end());
        if (*kth <= radius_) return finish_one(i, x, missed, *kth, need);
      }
      radius_ = std::min(radius_ + radius_ / 2 + 1, lattice_range);
      buckets_ = Buckets(0, radius_);
      lists_.build(i, radius_, buckets_);
    }
  }

  void finish_one(std::size_t, const LaneRows& x, const Missed& missed, std::int32_t radius, std::uint32_t need) {
    const auto within = static_cast<std::uint32_t>(
        std::count_if(distances_.begin(), distances_.end(), [=](std::int32_t d) { return d <= radius; }));
    StatisticSum& sum = sums_[(missed.batch * batch_lanes + missed.lane) * p_.ks.size() + missed.scale];
    count_.add_one(x, lists_, missed.lane, radius, within, need - 1, sum);
  }

  const LaneTask& task_;
  const StatisticProblem& p_;
  ListBuilder lists_;
  LaneSelect select_;
  LaneCount count_;
  StatisticSum* sums_;
  std::vector<LaneRadii> radii_;
  std::vector<Missed> missed_;
  std::vector<std::int32_t> distances_;
  std::int32_t radius_ = 0, guess_ = lattice_range;
  Buckets buckets_;
  std::size_t built_for_ = none;
};

void AddLaneTerms(const LaneTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  const auto sweep = [&](auto points) {
    for (std::size_t i = begin; i < end; ++i) points.add_terms(i);
  };
  if (task.permuted->columns == 1 && task.permuted->category.empty())
    sweep(PointSweep<true>(task, sums));
  else
    sweep(PointSweep<false>(task, sums));
}

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi {
HWY_EXPORT(AddLaneTerms);

void add_lane_terms(const LaneTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddLaneTerms)(task, begin, end, sums);
}
}  // namespace macmi
#endif
