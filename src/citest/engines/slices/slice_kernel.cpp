#include "citest/engines/slices/slice_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/slices/slice_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
#include "citest/engines/bit_counter-inl.hpp"
#include "citest/engines/slices/slice_lists-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// Without vectors there is nothing to gain here.
void AddSliceTerms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  const std::size_t n = task.fixed->n, scales = task.problem->ks.size();
  for (std::size_t lane = 0; lane < task.lanes(); ++lane)
    for (std::size_t c = begin; c < end; ++c)
      for (std::size_t q = 0; q < scales; ++q)
        add_plain_term(*task.problem, task.sources.subspan(lane * n, n), task.problem->centre(c), task.problem->ks[q],
                       sums[lane * scales + q]);
}

#else

namespace slices {

/// One sample after the other; for each x that it can get (a slot), all permutations that give it this x. Every
/// permutation gives it one of them, so that slots share their counters.
class SliceSweep {
 public:
  explicit SliceSweep(const SliceTask& task)
      : task_(task),
        p_(*task.problem),
        builder_(task),
        lanes_(task.choices->batches * slice_lanes),
        terms_(p_.ks.size() * lanes_) {}

  void add_terms(std::size_t i) {
    const std::size_t size = task_.fixed->cell_size[i];
    if (size < 2) return;
    i_ = i;
    for (q_ = 0; q_ < p_.ks.size(); ++q_) {
      need_ = std::min<std::size_t>(p_.ks[q_], size - 1) + 1;
      builder_.look_around(i, q_, need_);
      for (std::size_t slot = 0; slot < builder_.slots(); slot += lists_.slots) {
        builder_.build(slot, lists_);
        make_room();
        for (std::size_t batch = 0; batch < task_.choices->batches; ++batch)
          for (std::size_t word = 0; word < slice_words; word += hn::Lanes(Bits())) add_batch(slot, batch, word);
      }
    }
  }

  void add_to(StatisticSum* sums) const {
    for (std::size_t lane = 0; lane < task_.lanes(); ++lane)
      for (std::size_t q = 0; q < p_.ks.size(); ++q) sums[lane * p_.ks.size() + q].terms += terms_[q * lanes_ + lane];
  }

 private:
  /// The slots from `first` on, in the permutations of one vector of words.
  void add_batch(std::size_t first, std::size_t batch, std::size_t word) {
    masks_ = task_.choices->mask(batch, 0) + word;
    first_lane_ = batch * slice_lanes + 64 * word;
    const BitVector all = find_sets(task_.choices->first[i_] + first);
    if (none(all)) return;
    xyz_.clear(lists_.near_yz + need_);
    add_core(lists_.core_xyz, xyz_);
    xz_.copy(xyz_, lists_.near_z);
    add_core(lists_.core_xz, xz_);
    // Counters run up to 2^planes: the carry out of the last plane says that a permutation has its radius.
    const BitVector early = hn::And(all, xyz_.add_number((std::uint64_t{1} << xyz_.planes()) - need_, ones()));
    BitVector late = hn::Zero(Bits());
    index_.clear(lists_.terms.size());
    for (std::size_t s = 0; s < lists_.slots; ++s) {
      const Slot& slot = lists_.slot[s];
      const BitVector own = set(std::size_t{1} << s);
      late = hn::Or(late, find_radii(slot, hn::AndNot(early, own)));
      count_history(slot, own);
      add_window(slot);
    }
    const BitVector alone = hn::Or(early, late);
    add_found(alone);
    add_alone(alone);
  }

  static BitVector ones() { return hn::Set(Bits(), ~std::uint64_t{0}); }
  static bool none(BitVector v) { return hn::AllTrue(Bits(), hn::Eq(v, hn::Zero(Bits()))); }
  BitVector mask(std::size_t choice) const { return hn::Load(Bits(), masks_ + choice * slice_words); }
  BitVector set(std::size_t slots) const { return hn::Load(Bits(), sets_[slots]); }
  BitVector history(std::size_t e) const { return hn::Load(Bits(), history_.data() + e * slice_words); }

  /// For every set of slots the permutations that give the sample one of them; returns those of all.
  BitVector find_sets(std::size_t first_choice) {
    hn::Store(hn::Zero(Bits()), Bits(), sets_[0]);
    for (std::size_t s = 0; s < lists_.slots; ++s) {
      const std::size_t sets = std::size_t{1} << s;
      const BitVector own = mask(first_choice + s);
      for (std::size_t others = 0; others < sets; ++others)
        hn::Store(hn::Or(own, set(others)), Bits(), sets_[sets + others]);
    }
    return set((std::size_t{1} << lists_.slots) - 1);
  }

  void add_core(const base::AlignedVector<SliceLists::Entry>& core, BitCounter& counter) const {
    counter.add(
        core.size(), [&](std::size_t e) HWY_ATTR __attribute__((always_inline)) {
          return hn::And(mask(core[e] / SliceLists::sets), set(core[e] % SliceLists::sets));
        });
  }

  /// Higher planes are all ones where it matters, and pass a carry on.
  std::size_t planes_that_matter(BitVector alive) const {
    std::size_t planes = xyz_.planes();
    while (planes > 1 && none(hn::AndNot(xyz_.plane(planes - 1), alive))) --planes;
    return planes;
  }

  /// Counts candidates in order of distance; returns the permutations, of those that give the sample this slot, that
  /// have no radius then. The history says which had none yet after each candidate, and before the first.
  BitVector find_radii(const Slot& slot, BitVector own) {
    const std::size_t planes = planes_that_matter(own);
    if (planes <= 4) return walk<4>(slot, own, 4);
    if (planes <= 5) return walk<5>(slot, own, 5);
    if (planes <= 6) return walk<6>(slot, own, 6);
    if (planes <= 7) return walk<7>(slot, own, 7);
    return walk<BitCounter::most_planes>(slot, own, planes);
  }

  template <std::size_t most>
  BitVector walk(const Slot& slot, BitVector alive, std::size_t planes) {
    constexpr std::size_t held = std::min<std::size_t>(most, 8);  // few planes stay in registers
    BitVector plane[held];
    for (std::size_t p = 0; p < held; ++p) plane[p] = xyz_.plane(p);
    if constexpr (most > held) walked_ = xyz_;
    const std::uint32_t* candidate = lists_.candidates.data() + slot.begin;
    std::uint64_t* out = history_.data();
    hn::Store(alive, Bits(), out);
    for (std::size_t e = 1; e <= slot.size; ++e) {
      BitVector carry = mask(candidate[e]);
      for (std::size_t p = 0; p < held; ++p) {
        const BitVector before = plane[p];
        plane[p] = hn::Xor(before, carry);
        carry = hn::And(before, carry);
      }
      if constexpr (most > held) carry = walked_.step(carry, held, planes);
      // Counters that have run over go on, and may run over again: only the first time counts.
      alive = hn::AndNot(carry, alive);
      hn::Store(alive, Bits(), out + e * slice_words);
    }
    return alive;
  }

  /// Counts each choice in the window of (x, z) for the permutations whose radius lies beyond it.
  void add_window(const Slot& slot) {
    const auto* choice = reinterpret_cast<const std::uint32_t*>(lists_.window_xz.data()) + slot.xz_begin;
    const auto* passed = reinterpret_cast<const std::uint32_t*>(lists_.passed.data()) + slot.xz_begin;
    xz_.add(
        slot.xz_size, [&](std::size_t e) HWY_ATTR
        __attribute__((always_inline)) { return hn::And(mask(choice[e]), history(passed[e])); });
  }

  /// How often a permutation is in the history of its slot says which candidate its radius is.
  void count_history(const Slot& slot, BitVector own) {
    const std::size_t padded = BitCounter::padded(slot.size + 2);  // at least one place where nobody is
    for (std::size_t e = slot.size + 1; e < padded; ++e)
      hn::Store(hn::Zero(Bits()), Bits(), history_.data() + e * slice_words);
    index_.add(
        padded, [&](std::size_t e) HWY_ATTR __attribute__((always_inline)) { return history(e); });
    index_.add_number(slot.begin, own);
  }

  void make_room() {
    for (std::size_t s = 0; s < lists_.slots; ++s) {
      const std::size_t words = BitCounter::padded(lists_.slot[s].size + 2) * slice_words;
      if (history_.size() < words) history_.resize(words);
    }
  }

  void add_found(BitVector alone) {
    alignas(64) std::uint32_t index[slice_lanes], xz[slice_lanes];
    index_.write(alone, index);
    xz_.write(alone, xz);
    std::int64_t* terms = terms_.data() + q_ * lanes_ + first_lane_;
    for (std::size_t lane = 0; lane < 64 * hn::Lanes(Bits()); ++lane)
      terms[lane] += lists_.terms[index[lane]] - p_.psi[xz[lane]];
  }

  /// Permutations whose radius lies outside the window: rare.
  void add_alone(BitVector lanes) {
    if (HWY_LIKELY(none(lanes))) return;
    const std::size_t n = task_.fixed->n;
    alignas(64) std::uint64_t words[slice_words];
    hn::Store(lanes, Bits(), words);
    for (std::size_t w = 0; w < hn::Lanes(Bits()); ++w)
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
        const std::size_t lane = first_lane_ + 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
        StatisticSum sum;
        add_plain_term(p_, task_.sources.subspan(lane * n, n), i_, p_.ks[q_], sum);
        terms_[q_ * lanes_ + lane] += sum.terms;
      }
  }

  const SliceTask& task_;
  const StatisticProblem& p_;
  SliceBuilder builder_;
  SliceLists lists_;
  BitCounter xyz_, xz_, index_, walked_;
  alignas(64) std::uint64_t sets_[SliceLists::sets][slice_words];
  base::AlignedVector<std::uint64_t> history_;  ///< permutations that lack a radius after each candidate of a slot
  std::size_t lanes_, i_ = 0, q_ = 0, need_ = 0, first_lane_ = 0;
  std::vector<std::int64_t> terms_;  ///< [k][lane]
  const std::uint64_t* masks_ = nullptr;
};

}  // namespace slices

void AddSliceTerms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  slices::SliceSweep sweep(task);
  for (std::size_t c = begin; c < end; ++c) sweep.add_terms(task.problem->centre(c));
  sweep.add_to(sums);
}

#endif  // vectors

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(AddSliceTerms);

void add_slice_terms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddSliceTerms)(task, begin, end, sums);
}

}  // namespace macmi::citest
#endif
