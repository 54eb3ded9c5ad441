// For one sample: the choices of the samples near it, by their distance from each x that it can get. Which permutations
// make a choice changes from permutation to permutation; how far it is from the sample does not.
#if defined(MACMI_CITEST_SLICE_LISTS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_SLICE_LISTS
#undef MACMI_CITEST_SLICE_LISTS
#else
#define MACMI_CITEST_SLICE_LISTS
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "citest/engines/bit_counter-inl.hpp"
#include "citest/engines/slices/distance_order-inl.hpp"
#include "citest/engines/slices/slice_near-inl.hpp"
#include "citest/engines/slices/slice_windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::slices {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::Kept;

/// A slot is one x that the sample can get. Radii of nearly all permutations that give it this x lie in its window,
/// `low` to `high`: the distances of its candidates.
struct Slot {
  std::int32_t low, high;
  std::size_t begin, size;        ///< of its candidates; place `begin` itself is that before the first one
  std::size_t xz_begin, xz_size;  ///< in window_xz, with padding
};

/// The lists of a few slots. Choices nearer than `low` are only counted; a choice is nearer for some slots than for
/// others. Lists that are counted are padded with entries that are in nobody's permutation.
struct SliceLists {
  static constexpr std::size_t slots_together = 6;
  static constexpr std::uint32_t sets = 1 << slots_together;
  /// Choice * sets + the set of slots that it is near to: bit s is slot s.
  using Entry = std::uint32_t;
  static_assert(Choices::most_numbers * sets <= std::size_t{1} << 32);

  base::AlignedVector<Entry> core_xyz;  ///< nearer than low in (x, y, z)
  base::AlignedVector<Entry> core_xz;   ///< nearer than low in (x, z), but not in (x, y, z)

  std::array<Slot, slots_together> slot;
  std::size_t slots = 0;
  std::vector<std::uint32_t> candidates;  ///< choices from low to high in (x, y, z), slot by slot, by distance
  std::vector<std::int64_t>
      terms;  ///< of each: ψ(k) + ψ(n_z) - ψ(n_yz) if its distance is the radius; 0 before the first and after all

  /// Choices from low to high in (x, z), and how many candidates of the slot do not lie beyond each: a permutation
  /// whose radius is one of these does not count the choice.
  base::AlignedVector<std::int32_t> window_xz, passed;

  std::size_t near_yz = 0, near_z = 0;  ///< samples: as many choices are made at most
};

class SliceBuilder {
 public:
  explicit SliceBuilder(const SliceTask& task)
      : task_(task),
        p_(*task.problem),
        near_(task),
        windows_(task, near_),
        columns_(p_.sample.x.columns.size()),
        lasts_(p_.ks.size()) {
    for (auto* v : {&found_xyz_, &found_xz_})
      for (Found& found : *v)
        for (auto* list : {&found.distance, &found.choice}) list->resize(task.choices->most * near_.capacity());
    for (auto* v : {&limit_, &near_z_, &near_yz_}) v->resize(task.choices->most * near_.capacity());
  }

  std::size_t slots() const { return windows_.size(); }

  /// Finds what is near sample i and where the radii of the scale that hold `need` samples (i included) will lie.
  /// Scales of a sample come in their order.
  void look_around(std::size_t i, std::size_t scale, std::size_t need) {
    need_ = need;
    Last& last = lasts_[scale];
    std::int32_t& reach = task_.reach[i * lasts_.size() + scale];
    const std::int32_t range = p_.sample.range, before = windows_.highest();
    const double guess = scale == 0 ? last.radius : before * last.growth * 1.1;
    std::int32_t radius = reach > 0 ? reach : static_cast<std::int32_t>(std::clamp(guess, 1.0, 1.0 * range));
    for (near_.find(i, radius); !windows_.find(i, scale, need, radius); near_.find(i, radius))
      radius = std::min(radius + radius / 3 + 1, range);
    const std::int32_t highest = windows_.highest();
    if (radius > highest + highest / 16) near_.keep(highest);  // fewer for every slot to look at
    reach = std::min(highest + highest / 32 + 1, range);
    last.radius = std::max(highest + highest / 8, 1);
    last.growth += 0.1 * (highest / std::max(1.0, 1.0 * before) - last.growth);
    sort_marginals();
  }

  /// The lists of the slots `begin` and on, as many as go together.
  void build(std::size_t begin, SliceLists& lists) {
    lists.slots = std::min(SliceLists::slots_together, slots() - begin);
    lists.near_yz = near_.inner();
    lists.near_z = near_.end();
    own_.clear();
    for (std::size_t s = 0; s < lists.slots; ++s) {
      lists.slot[s].low = windows_[begin + s].low;
      lists.slot[s].high = windows_[begin + s].high;
      for (std::size_t d = 0; d < columns_; ++d) own_.push_back(near_.own_x(d, begin + s));
      found_xyz_[s].size = found_xz_[s].size = 0;
    }
    collect(lists);
    lay_out(lists);
    for (std::size_t s = 0; s < lists.slots; ++s) sort_windows(s, lists);
  }

 private:
  using I32 = SliceNear::I32;
  using V = SliceNear::V;
  /// Choices in a window, in no order.
  struct Found {
    base::AlignedVector<std::int32_t> distance, choice;
    std::size_t size = 0;

    template <class Mask>
    HWY_INLINE void take(Mask inside, V distances, V choices) {
      const Kept kept(inside);
      kept.store(distances, distance.data() + size);
      kept.store(choices, choice.data() + size);
      size += kept.count();
    }
  };
  /// Sorts all choices of near samples into cores and windows.
  void collect(SliceLists& lists) {
    for (auto* list : {&lists.core_xyz, &lists.core_xz})
      list->resize(near_.numbers() * near_.end() + BitCounter::at_once + hn::Lanes(I32()));
    std::size_t in_xyz = 0, in_xz = 0;
    for (std::size_t c = 0; c < near_.numbers(); ++c) {
      collect_part<true>(c, lists, in_xyz, in_xz);
      collect_part<false>(c, lists, in_xyz, in_xz);
    }
    pad_core(lists.core_xyz, in_xyz);
    pad_core(lists.core_xz, in_xz);
  }

  /// Near to no slot: 0.
  static void pad_core(base::AlignedVector<SliceLists::Entry>& core, std::size_t size) {
    core.resize(BitCounter::padded(size));
    std::fill(core.begin() + static_cast<std::ptrdiff_t>(size), core.end(), 0);
  }

  /// The choices of one number, of samples near in (y, z) or of the others.
  template <bool near_in_yz>
  void collect_part(std::size_t number, SliceLists& lists, std::size_t& in_xyz, std::size_t& in_xz) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag), slots = lists.slots;
    const SliceNear::Column column = near_.x(number);
    const std::int32_t *first = near_.first(), *nearest_z = near_.z(), *nearest_yz = near_.yz();
    auto* xyz_out = reinterpret_cast<std::int32_t*>(lists.core_xyz.data());
    auto* xz_out = reinterpret_cast<std::int32_t*>(lists.core_xz.data());
    const std::size_t begin = near_in_yz ? 0 : near_.inner_end(), end = near_in_yz ? near_.inner_end() : near_.end();
    for (std::size_t e = begin; e < end; e += lanes) {
      const V choice = hn::Add(hn::Load(tag, first + e), hn::Set(tag, static_cast<std::int32_t>(number)));
      const V z = hn::Load(tag, nearest_z + e);
      V set_xyz = hn::Zero(tag), set_xz = set_xyz;
      for (std::size_t s = 0; s < slots; ++s) {
        const V low = hn::Set(tag, lists.slot[s].low), beyond = hn::Set(tag, lists.slot[s].high + 1),
                bit = hn::Set(tag, 1 << s);
        const V x = column.distance(own_.data() + s * column.columns, e), xz = hn::Max(x, z);
        const auto core = hn::Lt(xz, low);
        set_xz = hn::Or(set_xz, hn::IfThenElseZero(core, bit));
        found_xz_[s].take(hn::AndNot(core, hn::Lt(xz, beyond)), xz, choice);
        if constexpr (near_in_yz) {
          const V xyz = hn::Max(x, hn::Load(tag, nearest_yz + e));
          const auto core_xyz = hn::Lt(xyz, low);
          set_xyz = hn::Or(set_xyz, hn::IfThenElseZero(core_xyz, bit));
          found_xyz_[s].take(hn::AndNot(core_xyz, hn::Lt(xyz, beyond)), xyz, choice);
        }
      }
      const V entry = hn::ShiftLeft<SliceLists::slots_together>(choice), only_xz = hn::AndNot(set_xyz, set_xz);
      if constexpr (near_in_yz) {
        const Kept kept(hn::Ne(set_xyz, hn::Zero(tag)));
        kept.store(hn::Or(entry, set_xyz), xyz_out + in_xyz);
        in_xyz += kept.count();
      }
      const Kept kept(hn::Ne(only_xz, hn::Zero(tag)));
      kept.store(hn::Or(entry, only_xz), xz_out + in_xz);
      in_xz += kept.count();
    }
  }

  void lay_out(SliceLists& lists) const {
    std::size_t places = 0, in_xz = 0;
    for (std::size_t s = 0; s < lists.slots; ++s) {
      Slot& slot = lists.slot[s];
      slot.begin = places;
      slot.size = found_xyz_[s].size;
      slot.xz_begin = in_xz;
      slot.xz_size = BitCounter::padded(found_xz_[s].size);
      places += slot.size + 1;
      in_xz += slot.xz_size;
    }
    lists.candidates.resize(places);
    lists.terms.resize(places + 1);
    lists.terms.back() = 0;
    for (auto* list : {&lists.window_xz, &lists.passed}) list->resize(in_xz + hn::Lanes(I32()));
  }

  void sort_windows(std::size_t s, SliceLists& lists) {
    const Slot& slot = lists.slot[s];
    const Found &xyz = found_xyz_[s], &xz = found_xz_[s];
    order_.sort(xyz.distance.data(), xyz.choice.data(), xyz.size, slot.low, slot.high);
    std::uint32_t* candidates = lists.candidates.data() + slot.begin + 1;
    std::int64_t* terms = lists.terms.data() + slot.begin + 1;
    terms[-1] = 0;
    for (std::size_t e = 0; e < xyz.size; ++e) {
      candidates[e] = order_.owner(e);
      limit_[e] = std::max(order_.distance(e) - 1, 0);
    }
    count_within(order_z_, limit_.data(), xyz.size, near_z_.data());
    count_within(order_yz_, limit_.data(), xyz.size, near_yz_.data());
    const std::int64_t *psi_z = p_.psi.data() + below_z_, *psi_yz = p_.psi.data() + below_yz_;
    for (std::size_t e = 0; e < xyz.size; ++e) terms[e] = p_.psi[need_ - 1] + psi_z[near_z_[e]] - psi_yz[near_yz_[e]];

    std::int32_t *choices = lists.window_xz.data() + slot.xz_begin, *passed = lists.passed.data() + slot.xz_begin;
    std::copy_n(xz.choice.data(), xz.size, choices);
    count_within(order_, xz.distance.data(), xz.size, passed);
    if (slot.low == 0)  // a choice at distance 0 counts even where the radius is 0
      for (std::size_t e = 0; e < xz.size; ++e) passed[e] = xz.distance[e] == 0 ? 0 : passed[e];
    std::fill(choices + xz.size, choices + slot.xz_size, 0);
    std::fill(passed + xz.size, passed + slot.xz_size,
              static_cast<std::int32_t>(slot.size + 1));  // nobody is left there
  }

  /// How many of an order are within each of some limits; writes whole vectors. Limits are at least low - 1.
  static void count_within(const DistanceOrder& order, const std::int32_t* limits, std::size_t size,
                           std::int32_t* counts) {
    const I32 tag;
    if (const std::int32_t* table = order.table()) {
      const V low = hn::Set(tag, order.low()), last = hn::Set(tag, order.high() - order.low());
      for (std::size_t e = 0; e < size; e += hn::Lanes(tag)) {
        const V place = hn::Sub(hn::LoadU(tag, limits + e), low), index = hn::Max(hn::Min(place, last), hn::Zero(tag));
        hn::StoreU(hn::IfThenZeroElse(hn::Lt(place, hn::Zero(tag)), hn::GatherIndex(tag, table, index)), tag,
                   counts + e);
      }
    } else {
      for (std::size_t e = 0; e < size; ++e) counts[e] = static_cast<std::int32_t>(order.within(limits[e]));
    }
  }

  /// The distances in z and in (y, z) that n_z and n_yz depend on, and how many are below all windows.
  void sort_marginals() {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const auto take_window = [&](const std::int32_t* distances, std::size_t end, std::size_t& below,
                                 DistanceOrder& order) HWY_ATTR {
      Found& found = found_xz_[0];
      found.size = below = 0;
      for (std::size_t e = 0; e < end; e += lanes) {
        const V d = hn::Load(tag, distances + e);
        const auto nearer = hn::Lt(d, hn::Set(tag, windows_.lowest()));
        below += hn::CountTrue(tag, nearer);
        found.take(hn::AndNot(nearer, hn::Lt(d, hn::Set(tag, windows_.highest() + 1))), d, d);
      }
      order.sort(found.distance.data(), found.choice.data(), found.size, windows_.lowest(), windows_.highest());
    };
    take_window(near_.z(), near_.end(), below_z_, order_z_);
    take_window(near_.yz(), near_.inner_end(), below_yz_, order_yz_);
  }

  const SliceTask& task_;
  const StatisticProblem& p_;
  SliceNear near_;
  SliceWindows windows_;
  std::size_t columns_, need_ = 0;
  std::vector<std::int32_t> own_;  ///< x of the slots, column by column
  std::array<Found, SliceLists::slots_together> found_xyz_, found_xz_;
  DistanceOrder order_, order_z_, order_yz_;
  base::AlignedVector<std::int32_t> limit_, near_z_, near_yz_;  ///< of the candidates of one slot
  std::size_t below_z_ = 0, below_yz_ = 0;
  /// First guesses, from the samples before.
  struct Last {
    std::int32_t radius = wide_lattice;
    double growth = 2;  ///< of the highest radius from the scale before
  };
  std::vector<Last> lasts_;
};

}  // namespace macmi::citest::HWY_NAMESPACE::slices
HWY_AFTER_NAMESPACE();
#endif
