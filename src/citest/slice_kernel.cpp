#include "citest/slice_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/slice_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
#include "citest/bit_counter-inl.hpp"
#include "citest/slice_lists-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// Without vectors there is nothing to gain here.
void AddSliceTerms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  const std::size_t n = task.fixed->n, scales = task.problem->ks.size();
  for (std::size_t lane = 0; lane < task.lanes(); ++lane)
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t q = 0; q < scales; ++q)
        add_plain_term(*task.problem, task.sources.subspan(lane * n, n), i, task.problem->ks[q], sums[lane * scales + q]);
}

#else

/// One sample after the other; for each x that it can get, all permutations that give it this x.
class SliceSweep {
 public:
  SliceSweep(const SliceTask& task, StatisticSum* sums) : task_(task), p_(*task.problem), builder_(task), sums_(sums) {}

  void add_terms(std::size_t i) {
    i_ = i;
    const std::size_t scales = p_.ks.size(), size = task_.fixed->cell_size[i];
    if (size < 2) return;
    for (q_ = 0; q_ < scales; ++q_) {
      need_ = std::min<std::size_t>(p_.ks[q_], size - 1) + 1;
      builder_.look_around(i, q_, need_);
      for (std::size_t slot = 0; slot < builder_.slots(); ++slot) {
        builder_.build(slot, lists_);
        for (std::size_t batch = 0; batch < task_.choices->batches; ++batch)
          for (std::size_t word = 0; word < slice_words; word += hn::Lanes(Bits())) add_batch(slot, batch, word);
      }
    }
  }

 private:
  /// The permutations of one vector of words that give sample i the x of this slot.
  void add_batch(std::size_t slot, std::size_t batch, std::size_t word) {
    masks_ = task_.choices->mask(batch, 0) + word;
    first_lane_ = batch * slice_lanes + 64 * word;
    BitVector alive = hn::Load(Bits(), masks_ + (task_.choices->first[i_] + slot) * slice_words);
    if (none(alive)) return;
    xyz_.clear(lists_.core_xyz.size() + need_);
    xyz_.add(masks_, lists_.core_xyz.data(), lists_.core_xyz.size());
    xz_.copy(xyz_, lists_.core_xyz.size() + lists_.core_xz.size() + lists_.window_xz.size());
    xz_.add(masks_, lists_.core_xz.data(), lists_.core_xz.size());
    xz_added_ = 0;
    // Counters run up to 2^planes: the carry out of the last plane says that a permutation has its radius.
    const BitVector early = xyz_.add_to_all((std::uint64_t{1} << xyz_.planes()) - need_);
    add_alone(hn::And(alive, early));
    alive = hn::AndNot(early, alive);
    const std::size_t planes = planes_that_matter(alive);
    if (planes <= 5)
      alive = find_radii<5>(alive, 5);
    else if (planes <= 7)
      alive = find_radii<7>(alive, 7);
    else
      alive = find_radii<BitCounter::most_planes>(alive, planes);
    add_alone(alive);
  }

  static bool none(BitVector v) { return hn::AllTrue(Bits(), hn::Eq(v, hn::Zero(Bits()))); }

  /// Higher planes are all ones where it matters, and pass a carry on.
  std::size_t planes_that_matter(BitVector alive) const {
    std::size_t planes = xyz_.planes();
    while (planes > 1 && none(hn::AndNot(xyz_.plane(planes - 1), alive))) --planes;
    return planes;
  }

  /// Counts candidates in order of distance until every permutation has its radius; returns those that have none. What
  /// a candidate decides is noted without a branch, which could not be predicted, and looked at afterwards.
  template <std::size_t most>
  BitVector find_radii(BitVector alive, std::size_t planes) {
    constexpr std::size_t held = most > 8 ? 1 : most;  // few planes stay in registers
    BitVector plane[held];
    for (std::size_t p = 0; p < held; ++p) plane[p] = xyz_.plane(p);
    const std::vector<Candidate>& candidates = lists_.window_xyz;
    for (std::size_t begin = 0; begin < candidates.size() && !none(alive); begin += together) {
      std::size_t decided = 0;
      for (std::size_t e = begin; e < std::min(begin + together, candidates.size()); ++e) {
        BitVector carry = hn::Load(Bits(), masks_ + candidates[e].choice * slice_words);
        if constexpr (most > 8) {
          carry = xyz_.step(carry, planes);
        } else {
          for (std::size_t p = 0; p < held; ++p) {
            const BitVector own = plane[p];
            plane[p] = hn::Xor(own, carry);
            carry = hn::And(own, carry);
          }
        }
        // Counters that have run over go on, and may run over again: only the first time counts.
        const BitVector reached = hn::And(carry, alive);
        alive = hn::AndNot(carry, alive);
        hn::Store(reached, Bits(), decided_[decided].lanes);
        decided_[decided].candidate = static_cast<std::uint32_t>(e);
        decided += none(reached) ? 0 : 1;
      }
      for (std::size_t d = 0; d < decided; ++d) add_reached(decided_[d].lanes, candidates[decided_[d].candidate]);
    }
    return alive;
  }

  /// Masks are added to all counters by the dozen, which is cheap; of the last few, only the bits wanted are read.
  void add_reached(const std::uint64_t* reached, const Candidate& c) {
    const std::size_t whole = c.xz_before / BitCounter::at_once * BitCounter::at_once, rest = c.xz_before - whole;
    xz_.add(masks_, lists_.window_xz.data() + xz_added_, whole - xz_added_);
    xz_added_ = whole;
    const std::uint32_t* last = lists_.window_xz.data() + whole;
    for_each_lane(reached, [&](std::size_t lane) {
      std::size_t xz = xz_.value(lane);
      for (std::size_t e = 0; e < rest; ++e) xz += masks_[last[e] * slice_words + lane / 64] >> (lane % 64) & 1;
      StatisticSum& sum = sum_of(lane);
      sum.terms += c.term - p_.psi[xz];
      ++sum.samples;
    });
  }

  /// Permutations whose radius lies outside the window: rare.
  void add_alone(BitVector lanes) {
    if (HWY_LIKELY(none(lanes))) return;
    const std::size_t n = task_.fixed->n;
    alignas(64) std::uint64_t words[slice_words];
    hn::Store(lanes, Bits(), words);
    for_each_lane(words, [&](std::size_t lane) {
      add_plain_term(p_, task_.sources.subspan((first_lane_ + lane) * n, n), i_, p_.ks[q_], sum_of(lane));
    });
  }

  StatisticSum& sum_of(std::size_t lane) { return sums_[(first_lane_ + lane) * p_.ks.size() + q_]; }

  /// Of one vector of words.
  template <class Visit>
  static void for_each_lane(const std::uint64_t* words, Visit visit) {
    for (std::size_t w = 0; w < hn::Lanes(Bits()); ++w)
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
  }

  /// The permutations whose radius a candidate is.
  struct Decided {
    alignas(64) std::uint64_t lanes[slice_words];
    std::uint32_t candidate;
  };
  static constexpr std::size_t together = 32;  ///< candidates between two looks at what they have decided

  const SliceTask& task_;
  const StatisticProblem& p_;
  SliceBuilder builder_;
  SliceLists lists_;
  BitCounter xyz_, xz_;
  Decided decided_[together + 1];
  StatisticSum* sums_;
  std::size_t i_ = 0, q_ = 0, need_ = 0, xz_added_ = 0, first_lane_ = 0;
  const std::uint64_t* masks_ = nullptr;
};

void AddSliceTerms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  SliceSweep sweep(task, sums);
  for (std::size_t i = begin; i < end; ++i) sweep.add_terms(i);
}

#endif  // vectors

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi {
HWY_EXPORT(AddSliceTerms);

void add_slice_terms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddSliceTerms)(task, begin, end, sums);
}
}  // namespace macmi
#endif
