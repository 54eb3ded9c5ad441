// For one sample and one x that it can get: the choices of the samples near it, by distance. Which permutations make a
// choice changes from permutation to permutation; how far it is from the sample does not.
#if defined(MACMI_CITEST_SLICE_LISTS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_SLICE_LISTS
#undef MACMI_CITEST_SLICE_LISTS
#else
#define MACMI_CITEST_SLICE_LISTS
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/compress-inl.hpp"
#include "citest/coarse_distances-inl.hpp"
#include "citest/key_sort.hpp"
#include "citest/near_scan-inl.hpp"
#include "citest/slice_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A choice whose distance in (x, y, z) may be the radius of a permutation, and what follows if it is.
struct Candidate {
  std::uint32_t choice;
  std::uint32_t xz_before;  ///< entries of `window_xz` that lie within the limit
  std::int64_t term;        ///< ψ(k) + ψ(n_z) - ψ(n_yz)
};

/// Radii of nearly all permutations lie between `low` and `high`. Choices nearer than `low` are only counted.
struct SliceLists {
  AlignedVector<std::uint32_t> core_xyz;  ///< nearer than low in (x, y, z)
  AlignedVector<std::uint32_t> core_xz;   ///< nearer than low in (x, z), but not in (x, y, z)
  std::vector<Candidate> window_xyz;      ///< from low to high in (x, y, z), by distance
  std::vector<std::uint32_t> window_xz;   ///< from low to high in (x, z), by distance
};

class SliceBuilder {
 public:
  explicit SliceBuilder(const SliceTask& task)
      : task_(task),
        p_(*task.problem),
        near_(p_, *task.fixed),
        columns_(p_.sample.x.columns.size()),
        lasts_(p_.ks.size()) {
    const std::size_t capacity = near_.capacity() + 64;
    for (auto* v : {&id_, &z_, &yz_, &first_}) v->resize(capacity);
    x_.resize(columns_ * task.choices->most * capacity);
    coarse_.reserve(task.choices->most * capacity);
    for (auto* v : {&found_, &found_distance_}) v->resize(task.choices->most * capacity);
  }

  std::size_t slots() const { return slots_.size(); }

  /// Finds what is near sample i and where the radii of the scale that hold `need` samples (i included) will lie.
  void look_around(std::size_t i, std::size_t scale, std::size_t need) {
    i_ = i;
    need_ = need;
    last_ = &lasts_[scale];
    std::int32_t& reach = task_.reach[i * lasts_.size() + scale];
    const std::int32_t range = p_.sample.range;
    std::int32_t radius = std::min(reach > 0 ? reach : last_->radius, range);
    for (near_.find(i, radius), take_near(radius); !find_windows(radius); near_.find(i, radius), take_near(radius))
      radius = std::min(radius + radius / 3 + 1, range);
    if (radius > highest_ + highest_ / 16) take_near(highest_);  // fewer for every slot to look at
    reach = std::min(highest_ + highest_ / 32 + 1, range);
    last_->radius = std::max(highest_ + highest_ / 8, 1);
    sort_marginals();
  }

  void build(std::size_t slot, SliceLists& lists) {
    const auto [low, high] = slots_[slot];
    own_x(slot);
    collect(low, high);
    lists.core_xyz.assign(core_xyz_.begin(), core_xyz_.end());
    lists.core_xz.assign(core_xz_.begin(), core_xz_.end());
    sort_.sort(window_xyz_, low, high);
    sort_.sort(window_xz_, low, high);
    lists.window_xz.resize(window_xz_.size());
    for (std::size_t e = 0; e < window_xz_.size(); ++e) lists.window_xz[e] = static_cast<std::uint32_t>(window_xz_[e]);
    follow_up(lists.window_xyz);
  }

 private:
  using I32 = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<I32>;
  struct Span {
    std::int32_t low, high;
  };
  /// Standard deviations of the count around the expected radius that a window covers.
  static constexpr double spread = 3.1;

  static std::size_t padded(std::size_t size) {
    const std::size_t lanes = hn::Lanes(I32());
    return (size + lanes - 1) / lanes * lanes;
  }

  /// The near samples, those near in (y, z) first; both parts padded with samples that are far from everything.
  void take_near(std::int32_t radius) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    std::size_t inner = 0, outer = 0;
    std::int32_t *outer_id = found_.data(), *outer_z = found_distance_.data();
    for (std::size_t e = 0; e < near_.size(); e += lanes) {
      const V id = hn::LoadU(tag, near_.id() + e), z = hn::LoadU(tag, near_.z() + e),
              yz = hn::LoadU(tag, near_.yz() + e);
      const auto real = hn::And(hn::FirstN(tag, near_.size() - e), hn::Lt(z, hn::Set(tag, radius + 1)));
      const auto inside = hn::And(real, hn::Lt(yz, hn::Set(tag, radius + 1))), outside = hn::AndNot(inside, real);
      const Kept in(inside), out(outside);
      in.store(id, id_.data() + inner);
      in.store(z, z_.data() + inner);
      in.store(yz, yz_.data() + inner);
      inner += in.count();
      out.store(id, outer_id + outer);
      out.store(z, outer_z + outer);
      outer += out.count();
    }
    inner_ = inner;
    inner_end_ = padded(inner);
    pad(inner, inner_end_);
    std::copy(outer_id, outer_id + outer, id_.data() + inner_end_);
    std::copy(outer_z, outer_z + outer, z_.data() + inner_end_);
    end_ = inner_end_ + padded(outer);
    pad(inner_end_ + outer, end_);
    gather_x();
  }

  void pad(std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      id_[e] = static_cast<std::int32_t>(i_);
      z_[e] = yz_[e] = SliceTask::far;
    }
  }

  void gather_x() {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag), n = task_.fixed->n;
    numbers_ = 0;
    for (std::size_t c = 0; c < task_.choices->most; ++c) {
      bool any = false;
      for (std::size_t d = 0; d < columns_; ++d) {
        const std::int32_t* from = task_.x.data() + (d * task_.choices->most + c) * n;
        std::int32_t* to = x_of(d, c);
        auto used = hn::Zero(tag);
        for (std::size_t e = 0; e < end_; e += lanes) {
          const V x = hn::GatherIndex(tag, from, hn::Load(tag, id_.data() + e));
          used = hn::Or(used, hn::VecFromMask(tag, hn::Ne(x, hn::Set(tag, SliceTask::far))));
          hn::Store(x, tag, to + e);
        }
        any = any || !hn::AllTrue(tag, hn::Eq(used, hn::Zero(tag)));
      }
      if (any) numbers_ = c + 1;
    }
    const auto* first = reinterpret_cast<const std::int32_t*>(task_.choices->first.data());
    for (std::size_t e = 0; e < end_; e += lanes)
      hn::Store(hn::GatherIndex(tag, first, hn::Load(tag, id_.data() + e)), tag, first_.data() + e);
  }

  std::int32_t* x_of(std::size_t column, std::size_t number) {
    return x_.data() + (column * task_.choices->most + number) * (near_.capacity() + 64);
  }

  void own_x(std::size_t slot) {
    own_.clear();
    for (std::size_t d = 0; d < columns_; ++d)
      own_.push_back(task_.x[(d * task_.choices->most + slot) * task_.fixed->n + i_]);
  }

  HWY_INLINE V distance_x(std::size_t number, std::size_t e) {
    const I32 tag;
    V d = hn::Abs(hn::Sub(hn::Load(tag, x_of(0, number) + e), hn::Set(tag, own_[0])));
    for (std::size_t c = 1; c < columns_; ++c)
      d = hn::Max(d, hn::Abs(hn::Sub(hn::Load(tag, x_of(c, number) + e), hn::Set(tag, own_[c]))));
    return d;
  }

  /// False when the near samples do not reach far enough to tell.
  bool find_windows(std::int32_t radius) {
    slots_.clear();
    lowest_ = p_.sample.range;
    highest_ = 0;
    const std::uint32_t* first = task_.choices->first.data() + i_;
    for (std::size_t slot = 0; slot < first[1] - first[0]; ++slot) {
      own_x(slot);
      Span span{0, radius};
      if (!find_window(radius, span)) return false;
      slots_.push_back(span);
      lowest_ = std::min(lowest_, span.low);
      highest_ = std::max(highest_, span.high);
    }
    return true;
  }

  bool find_window(std::int32_t radius, Span& span) {
    int shift = 0;
    while ((radius >> shift) > CoarseDistances::most) ++shift;
    coarse_.fill(numbers_, inner_end_, [&](std::size_t c, std::size_t e) HWY_ATTR {
      return hn::ShiftRightSame(hn::Max(distance_x(c, e), hn::Load(I32(), yz_.data() + e)), shift);
    });
    // Every choice is made by about one in `mean` permutations.
    const double mean = task_.choices->mean(), need = static_cast<double>(need_);
    const std::int32_t reach = radius >> shift, last = radius == p_.sample.range ? reach : reach - 1;
    const std::int32_t middle = coarse_.at_rank(need * mean, last, last_->middle > 0 ? last_->middle : last / 2);
    if (middle > last && last < reach) return false;
    const double sd = coarse_.count_sd(middle, mean);
    const std::int32_t top = coarse_.at_rank((need + spread * sd + 2) * mean, last, middle + middle / 8);
    if (top > last && last < reach) return false;
    const std::int32_t bottom = coarse_.at_rank((need - spread * sd - 1) * mean, last, middle - middle / 8);
    last_->middle = middle;
    span.low = std::min(bottom << shift, radius);
    span.high = static_cast<std::int32_t>(std::min<std::int64_t>((std::int64_t{top + 1} << shift) - 1, radius));
    return true;
  }

  /// Sorts all choices of near samples into core and window.
  void collect(std::int32_t low, std::int32_t high) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const V lower = hn::Set(tag, low), beyond = hn::Set(tag, high + 1);
    for (auto* list : {&core_xyz_, &core_xz_}) list->resize(numbers_ * end_ + 16);
    window_xyz_.clear();
    window_xz_.clear();
    std::size_t in_core_xyz = 0, in_core_xz = 0;
    for (std::size_t c = 0; c < numbers_; ++c) {
      const V number = hn::Set(tag, static_cast<std::int32_t>(c));
      std::size_t found = 0;
      for (std::size_t e = 0; e < inner_end_; e += lanes) {
        const V choice = hn::Add(hn::Load(tag, first_.data() + e), number);
        const V xyz = hn::Max(distance_x(c, e), hn::Load(tag, yz_.data() + e));
        const auto core = hn::Lt(xyz, lower), window = hn::AndNot(core, hn::Lt(xyz, beyond));
        const Kept in_core(core), in_window(window);
        in_core.store(choice, core_xyz_.data() + in_core_xyz);
        in_core_xyz += in_core.count();
        in_window.store(xyz, found_distance_.data() + found);
        in_window.store(choice, found_.data() + found);
        found += in_window.count();
      }
      take(found, window_xyz_);
      found = 0;
      for (std::size_t e = 0; e < end_; e += lanes) {
        const V choice = hn::Add(hn::Load(tag, first_.data() + e), number);
        const V x = distance_x(c, e), xz = hn::Max(x, hn::Load(tag, z_.data() + e));
        const auto nearer = hn::Lt(xz, lower), window = hn::AndNot(nearer, hn::Lt(xz, beyond));
        auto core = nearer;
        if (e < inner_end_) core = hn::AndNot(hn::Lt(hn::Max(x, hn::Load(tag, yz_.data() + e)), lower), core);
        const Kept in_core(core), in_window(window);
        in_core.store(choice, core_xz_.data() + in_core_xz);
        in_core_xz += in_core.count();
        in_window.store(xz, found_distance_.data() + found);
        in_window.store(choice, found_.data() + found);
        found += in_window.count();
      }
      take(found, window_xz_);
    }
    core_xyz_.resize(in_core_xyz);
    core_xz_.resize(in_core_xz);
  }

  void take(std::size_t found, std::vector<DistanceKey>& keys) const {
    for (std::size_t e = 0; e < found; ++e)
      keys.push_back(static_cast<DistanceKey>(found_distance_[e]) << 32 | static_cast<std::uint32_t>(found_[e]));
  }

  /// The distances in z and in (y, z) that n_z and n_yz depend on, and how many are below all windows.
  void sort_marginals() {
    const auto take_window = [&](const std::int32_t* d, std::size_t begin, std::size_t end, std::size_t& below,
                                 std::vector<DistanceKey>& keys) {
      for (std::size_t e = begin; e < end; ++e) {
        below += d[e] < lowest_;
        if (d[e] >= lowest_ && d[e] <= highest_) keys.push_back(static_cast<DistanceKey>(d[e]) << 32);
      }
    };
    below_z_ = below_yz_ = 0;
    window_z_.clear();
    window_yz_.clear();
    take_window(z_.data(), 0, end_, below_z_, window_z_);
    take_window(yz_.data(), 0, inner_, below_yz_, window_yz_);
    sort_.sort(window_z_, lowest_, highest_);
    sort_.sort(window_yz_, lowest_, highest_);
  }

  /// Walks along the sorted distances to say what every candidate for the radius entails.
  void follow_up(std::vector<Candidate>& candidates) const {
    std::size_t z = 0, yz = 0, xz = 0;
    candidates.clear();
    for (const DistanceKey candidate : window_xyz_) {
      const std::int32_t limit = std::max(distance_of(candidate) - 1, 0);
      const auto up_to = [limit](const std::vector<DistanceKey>& keys, std::size_t at) {
        while (at < keys.size() && distance_of(keys[at]) <= limit) ++at;
        return at;
      };
      z = up_to(window_z_, z);
      yz = up_to(window_yz_, yz);
      xz = up_to(window_xz_, xz);
      candidates.push_back({static_cast<std::uint32_t>(candidate), static_cast<std::uint32_t>(xz),
                            p_.psi[need_ - 1] + p_.psi[below_z_ + z] - p_.psi[below_yz_ + yz]});
    }
  }

  const SliceTask& task_;
  const StatisticProblem& p_;
  NearScan near_;
  KeySort sort_;
  std::size_t columns_, i_ = 0, need_ = 0;
  std::size_t inner_ = 0, inner_end_ = 0, end_ = 0;  ///< near in (y, z), with padding, and all with padding
  std::size_t numbers_ = 0;                          ///< choices that some near sample has
  AlignedVector<std::int32_t> id_, z_, yz_, first_, x_, found_, found_distance_;
  CoarseDistances coarse_;  ///< of the samples near in (y, z)
  std::vector<std::int32_t> own_;
  AlignedVector<std::int32_t> core_xyz_, core_xz_;
  std::vector<DistanceKey> window_xyz_, window_xz_, window_z_, window_yz_;
  std::size_t below_z_ = 0, below_yz_ = 0;
  std::vector<Span> slots_;
  std::int32_t lowest_ = 0, highest_ = 0;
  /// What the sample before had: first guesses.
  struct Last {
    std::int32_t radius = wide_lattice, middle = 0;
  };
  std::vector<Last> lasts_;
  Last* last_ = nullptr;
};

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
