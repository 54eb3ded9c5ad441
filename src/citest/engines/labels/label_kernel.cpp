#include "citest/engines/labels/label_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/labels/label_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
#include "citest/engines/bit_counter-inl.hpp"
#include "citest/engines/labels/sorted_near-inl.hpp"
#include "citest/engines/near_scan-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

/// Without vectors there is nothing to gain here.
void AddLabelTerms(const LabelTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  const std::size_t n = task.fixed->n, scales = task.problem->ks.size();
  for (std::size_t lane = 0; lane < task.lanes(); ++lane)
    for (std::size_t m = task.places->first[begin]; m < task.places->first[end]; ++m)
      for (std::size_t q = 0; q < scales; ++q)
        add_plain_term(*task.problem, task.sources.subspan(lane * n, n), task.places->member[m], task.problem->ks[q],
                       sums[lane * scales + q]);
}

#else

namespace labels {

/// One place after the other. Whatever the permutation, the samples stand at the same distances in (y, z): the radius
/// of a sample with label c is where the walk outwards has met k others with that label, and bit-sliced counters walk
/// for many permutations at once. A second walk, in z, follows the first and counts the label within the radius.
template <class Key>
class LabelSweep {
 public:
  explicit LabelSweep(const LabelTask& task)
      : task_(task),
        p_(*task.problem),
        scan_(p_, *task.fixed),
        lanes_(task.masks->batches * slice_lanes),
        terms_(p_.ks.size() * lanes_),
        open_(p_.ks.size() * task.masks->labels * task.masks->batches * slice_words) {
    if (!p_.conditioned) count_labels();
  }

  void add_terms(std::size_t place) {
    const auto& first = task_.places->first;
    members_ = std::span(task_.places->member).subspan(first[place], first[place + 1] - first[place]);
    open_all();
    std::int32_t& reach = task_.reach[place];
    const std::int32_t range = p_.sample.range;
    std::int32_t radius = std::min(range, reach >= 0 ? reach + reach / 8 : guess_);
    needed_ = 0;
    for (;; radius = radius > range / 2 ? range : radius + radius / 2 + range / 1024) {
      find_near(radius);
      bool all = true;
      each_walk([&](std::size_t batch, std::size_t label, std::size_t word) { all = walk(batch, label, word) && all; });
      if (all) break;
      if (radius >= range) {
        add_small_cells();
        break;
      }
    }
    reach = std::max(reach, needed_);
    guess_ = needed_ + needed_ / 4;
  }

  void add_to(StatisticSum* sums) const {
    for (std::size_t lane = 0; lane < task_.lanes(); ++lane)
      for (std::size_t q = 0; q < p_.ks.size(); ++q) sums[lane * p_.ks.size() + q].terms += terms_[q * lanes_ + lane];
  }

 private:
  template <class Function>
  void each_walk(Function function) {
    for (std::size_t batch = 0; batch < task_.masks->batches; ++batch)
      for (std::size_t label = 0; label < task_.masks->labels; ++label)
        for (std::size_t word = 0; word < slice_words; word += hn::Lanes(Bits())) function(batch, label, word);
  }

  /// The permutations whose radius for ks[q] and this label is not known yet.
  std::uint64_t* open(std::size_t q, std::size_t batch, std::size_t label, std::size_t word) {
    return open_.data() + ((q * task_.masks->batches + batch) * task_.masks->labels + label) * slice_words + word;
  }

  static bool none(BitVector v) { return hn::AllTrue(Bits(), hn::Eq(v, hn::Zero(Bits()))); }

  void open_all() {
    each_walk([&](std::size_t batch, std::size_t label, std::size_t word) HWY_ATTR {
      const std::uint64_t* masks = task_.masks->of(batch, label) + word;
      BitVector any = hn::Zero(Bits());
      for (const std::uint32_t i : members_) any = hn::Or(any, hn::Load(Bits(), masks + i * slice_words));
      for (std::size_t q = 0; q < p_.ks.size(); ++q) hn::Store(any, Bits(), open(q, batch, label, word));
    });
  }

  void find_near(std::int32_t radius) {
    scan_.find(members_.front(), radius);
    yz_.clear(scan_.size());
    z_.clear(scan_.size());
    for (std::size_t s = 0; s < scan_.size(); ++s) {
      if (scan_.yz()[s] <= radius) yz_.add(scan_.yz()[s], scan_.id()[s]);
      if (p_.conditioned) z_.add(scan_.z()[s], scan_.id()[s]);
    }
    yz_.sort();
    z_.sort();
  }

  static void add_masks(BitCounter& counter, const std::uint64_t* masks, const SortedNear<Key>& order,
                        std::size_t begin, std::size_t end) {
    const auto mask = [&](std::size_t e)
                          HWY_ATTR { return hn::Load(Bits(), masks + order.id(begin + e) * slice_words); };
    const std::size_t together = (end - begin) / BitCounter::at_once * BitCounter::at_once;
    if (together != 0) counter.add(together, mask);
    for (std::size_t e = together; e < end - begin; ++e) counter.step(mask(e), 0, counter.planes());
  }

  /// The permutations that count at least `need`.
  static BitVector at_least(const BitCounter& counter, std::size_t need) {
    BitVector less = hn::Zero(Bits());
    for (std::size_t p = 0; p < counter.planes(); ++p) {
      const BitVector plane = counter.plane(p);
      less = (need >> p & 1) != 0 ? hn::Or(hn::Not(plane), less) : hn::AndNot(plane, less);
    }
    return hn::Not(less);
  }

  /// Walks outwards for one vector of permutations and adds the terms of those whose radius it finds; false: some are
  /// still open where the lists end.
  bool walk(std::size_t batch, std::size_t label, std::size_t word) {
    std::size_t q = 0;
    while (q < p_.ks.size() && none(hn::Load(Bits(), open(q, batch, label, word)))) ++q;
    if (q == p_.ks.size()) return true;
    const std::uint64_t* masks = task_.masks->of(batch, label) + word;
    first_lane_ = batch * slice_lanes + 64 * word;
    label_ = label;
    here_.clear(members_.size());
    for (const std::uint32_t i : members_) here_.step(hn::Load(Bits(), masks + i * slice_words), 0, here_.planes());
    met_.clear(yz_.size());
    same_z_.clear(z_.size());
    std::size_t walked_z = 0;
    for (std::size_t begin = 0, end = 0; begin < yz_.size(); begin = end) {
      end = yz_.first_farther(begin);
      add_masks(met_, masks, yz_, begin, end);
      for (std::size_t s = q; s < p_.ks.size() && p_.ks[s] < end; ++s) {
        std::uint64_t* still = open(s, batch, label, word);
        const BitVector before = hn::Load(Bits(), still);
        if (none(before)) continue;
        const BitVector found = hn::And(before, at_least(met_, p_.ks[s] + 1));
        if (none(found)) continue;
        const std::int32_t radius = yz_.distance(begin), limit = p_.closed ? radius : std::max(radius - 1, 0);
        std::size_t to = walked_z;
        while (to < z_.size() && z_.distance(to) <= limit) ++to;
        add_masks(same_z_, masks, z_, walked_z, to);
        walked_z = to;
        add_found(s, found, p_.closed || radius == 0 ? end : begin, walked_z);
        hn::Store(hn::AndNot(found, before), Bits(), still);
        needed_ = std::max(needed_, radius);
      }
      while (q < p_.ks.size() && none(hn::Load(Bits(), open(q, batch, label, word)))) ++q;
      if (q == p_.ks.size()) return true;
    }
    return false;
  }

  /// The terms of the permutations in `found`, which have their radius for ks[q] and so many samples within it.
  void add_found(std::size_t q, BitVector found, std::size_t in_yz, std::size_t in_z) {
    const std::size_t self = p_.closed ? 1 : 0;
    const std::int64_t shared = p_.psi[p_.conditioned ? in_z - self : task_.fixed->n] - p_.psi[in_yz - self];
    const std::int64_t k_term = p_.psi[p_.ks[q]];
    alignas(64) std::uint64_t words[slice_words];
    hn::Store(found, Bits(), words);
    for (std::size_t w = 0; w < hn::Lanes(Bits()); ++w)
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
        const auto bit = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
        const std::size_t lane = first_lane_ + bit;
        const std::size_t in_xz = p_.conditioned ? same_z_.value(bit) : total_[label_ * lanes_ + lane];
        const auto here = static_cast<std::uint32_t>(members_.size() == 1 ? 1 : here_.value(bit));
        const std::int64_t term = shared + (p_.closed ? p_.psi[met_.value(bit) - 1] : k_term) - p_.psi[in_xz - self];
        terms_[q * lanes_ + lane] += here * term;
      }
  }

  /// Labels that fewer than k others have, of those with the same categories: k is lowered to as many as there are.
  /// The lists hold all samples with the same categories of z.
  void add_small_cells() {
    each_walk([&](std::size_t batch, std::size_t label, std::size_t word) {
      for (std::size_t w = word; w < word + hn::Lanes(Bits()); ++w) {
        std::uint64_t any = 0;
        for (std::size_t q = 0; q < p_.ks.size(); ++q) any |= *open(q, batch, label, w);
        for (; any != 0; any &= any - 1) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(any));
          const std::size_t lane = batch * slice_lanes + 64 * w + bit;
          const std::uint64_t* masks = task_.masks->of(batch, label) + w;
          const auto has_label = [=](std::size_t i) { return (masks[i * slice_words] >> bit & 1) != 0; };
          const std::int64_t term = std::count_if(members_.begin(), members_.end(), has_label) *
                                    small_cell_term(has_label, p_.conditioned ? 0 : total_[label * lanes_ + lane]);
          for (std::size_t q = 0; q < p_.ks.size(); ++q)
            if ((*open(q, batch, label, w) >> bit & 1) != 0) terms_[q * lanes_ + lane] += term;
        }
      }
    });
    needed_ = p_.sample.range;
  }

  /// The term of a sample whose radius reaches the last other one with its label; 0 where there is none.
  template <class HasLabel>
  std::int64_t small_cell_term(HasLabel has_label, std::size_t labelled) const {
    std::size_t met = 0;
    std::int32_t radius = 0;
    for (std::size_t r = 0; r < yz_.size(); ++r)
      if (has_label(yz_.id(r))) {
        ++met;
        radius = yz_.distance(r);
      }
    if (met < 2) return 0;
    const std::int32_t limit = p_.closed ? radius : std::max(radius - 1, 0);
    const std::size_t self = p_.closed ? 1 : 0;
    std::size_t in_yz = 0, in_z = 0, in_xz = labelled;
    while (in_yz < yz_.size() && yz_.distance(in_yz) <= limit) ++in_yz;
    for (; in_z < z_.size() && z_.distance(in_z) <= limit; ++in_z) in_xz += has_label(z_.id(in_z));
    return p_.psi[met - 1] + p_.psi[p_.conditioned ? in_z - self : task_.fixed->n] - p_.psi[in_xz - self] -
           p_.psi[in_yz - self];
  }

  void count_labels() {
    total_.resize(task_.masks->labels * lanes_);
    const std::size_t n = task_.fixed->n;
    BitCounter counter;
    each_walk([&](std::size_t batch, std::size_t label, std::size_t word) HWY_ATTR {
      const std::uint64_t* masks = task_.masks->of(batch, label) + word;
      counter.clear(n);
      for (std::size_t i = 0; i < n; ++i) counter.step(hn::Load(Bits(), masks + i * slice_words), 0, counter.planes());
      for (std::size_t bit = 0; bit < 64 * hn::Lanes(Bits()); ++bit)
        total_[label * lanes_ + batch * slice_lanes + 64 * word + bit] = static_cast<std::uint32_t>(counter.value(bit));
    });
  }

  const LabelTask& task_;
  const StatisticProblem& p_;
  NearScan scan_;
  SortedNear<Key> yz_, z_;
  std::span<const std::uint32_t> members_;
  BitCounter met_, same_z_, here_;
  std::size_t lanes_, first_lane_ = 0, label_ = 0;
  std::vector<std::int64_t> terms_;          ///< [k][lane]
  std::vector<std::uint32_t> total_;         ///< [label][lane]: samples with that label; used without z
  base::AlignedVector<std::uint64_t> open_;  ///< [k][batch][label][word]
  std::int32_t guess_ = 0, needed_ = 0;
};

template <class Key>
void AddTermsBy(const LabelTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  LabelSweep<Key> sweep(task);
  for (std::size_t place = begin; place < end; ++place) sweep.add_terms(place);
  sweep.add_to(sums);
}

}  // namespace labels

void AddLabelTerms(const LabelTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  if (labels::SortedNear<std::uint32_t>::fits(task.problem->sample.apart(), task.fixed->n))
    labels::AddTermsBy<std::uint32_t>(task, begin, end, sums);
  else
    labels::AddTermsBy<std::uint64_t>(task, begin, end, sums);
}

#endif  // vectors

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(AddLabelTerms);

void add_label_terms(const LabelTask& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddLabelTerms)(task, begin, end, sums);
}

}  // namespace macmi::citest
#endif
