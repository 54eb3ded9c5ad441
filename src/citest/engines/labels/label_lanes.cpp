#include "citest/engines/labels/label_lanes.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/labels/label_lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "citest/engines/labels/label_walk-inl.hpp"
#include "citest/engines/near_scan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE::labels {

/// One place after the other. Whatever the permutation, the samples stand at the same distances in (y, z): they are
/// sorted once, and the radius of a centre with label c is where k others with that label are met. Labels that few
/// samples have would be met far out only: the distances to these samples are taken one by one.
template <class T, class Key>
class LabelLaneSweep {
 public:
  LabelLaneSweep(const LabelLaneTask<T>& task, StatisticSum* sums)
      : task_(task), p_(*task.problem), scan_(p_, *task.fixed), far_(p_, *task.fixed), sums_(sums) {}

  void add_terms(std::size_t place) {
    const auto& first = task_.places->first;
    const auto members = std::span(task_.places->member).subspan(first[place], first[place + 1] - first[place]);
    const std::int32_t range = p_.sample.range;
    std::int32_t& reach = task_.reach[place];
    needed_ = 0;
    list_near(members.front(), std::min(range, reach >= 0 ? reach + reach / 8 : guess_));
    for (const std::uint32_t i : members)
      for (batch_ = 0; batch_ < task_.batches; ++batch_) add_centre(i);
    reach = std::max(reach, needed_);
    guess_ = needed_ + needed_ / 4;
  }

 private:
  void list_near(std::size_t i, std::int32_t radius) {
    radius_ = radius;
    scan_.find(i, radius);
    yz_.clear(scan_.size());
    z_.clear(scan_.size());
    for (std::size_t s = 0; s < scan_.size(); ++s) {
      if (scan_.yz()[s] <= radius) yz_.add(scan_.yz()[s], scan_.id()[s]);
      if (p_.conditioned) z_.add(scan_.z()[s], scan_.id()[s]);
    }
    yz_.sort();
    z_.sort();
  }

  void widen(std::size_t i) {
    const std::int32_t range = p_.sample.range;
    list_near(i, radius_ > range / 2 ? range : radius_ + radius_ / 2 + range / 1024);
  }

  void add_centre(std::size_t i) {
    const std::size_t n = task_.fixed->n;
    labels_ = task_.labels->data() + batch_ * n * label_batch;
    own_ = labels_ + i * label_batch;
    lanes_ = std::min(label_batch, task_.lanes - batch_ * label_batch);
    std::uint64_t common = lanes_ == label_batch ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_) - 1;
    if (task_.rare->count > 0)
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        if (task_.rare->number[label(lane)] != RareLabels::common) common &= ~(std::uint64_t{1} << lane);
    if (common != 0) add_common(i, common);
    const std::uint64_t all = lanes_ == label_batch ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes_) - 1;
    add_rare(i, all & ~common);
  }

  std::size_t label(std::size_t lane) const {
    return static_cast<std::size_t>(static_cast<std::make_unsigned_t<T>>(own_[lane]));
  }

  static std::int32_t limit_of(const StatisticProblem& p, std::int32_t radius) {
    return p.closed ? radius : std::max(radius - 1, 0);
  }

  void add(std::size_t lane, std::size_t q, std::size_t inside, std::size_t in_xz, std::size_t in_yz,
           std::size_t in_z) {
    const std::size_t self = p_.closed ? 1 : 0;
    sums_[(batch_ * label_batch + lane) * p_.ks.size() + q].terms +=
        p_.psi[inside] + p_.psi[p_.conditioned ? in_z - self : task_.fixed->n] - p_.psi[in_xz - self] -
        p_.psi[in_yz - self];
  }

  template <class Visit>
  static void each_lane(std::uint64_t lanes, Visit visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
  }

  /// Walks outwards in (y, z) for the radii, then in z for the counts within them.
  void add_common(std::size_t i, std::uint64_t lanes) {
    const auto most = static_cast<std::uint32_t>(p_.ks.back() + 1);
    for (;; widen(i)) {
      walk_.count(yz_, yz_.size(), labels_, own_, most, lanes);
      bool all = true;
      each_lane(lanes, [&](std::size_t lane) { all = all && walk_.met(walk_.reached(), lane) >= most; });
      if (all || radius_ >= p_.sample.range) break;
    }
    found_.clear();
    std::size_t z_end = 0;
    each_lane(lanes, [&](std::size_t lane) {
      const std::uint32_t there = walk_.met(walk_.reached(), lane);
      if (there < 2) return;  // alone in its combination of categories
      for (std::size_t q = 0; q < p_.ks.size(); ++q) {
        const std::uint32_t wanted = std::min(static_cast<std::uint32_t>(p_.ks[q] + 1), there);
        const std::size_t rank = walk_.rank_of(wanted, lane);
        const std::int32_t radius = yz_.distance(rank);
        needed_ = std::max(needed_, radius);
        const std::size_t end = p_.closed || radius == 0 ? yz_.first_farther(rank) : yz_.first_as_far(rank);
        const std::size_t inside = (p_.closed ? walk_.met(end, lane) : wanted) - 1;
        const std::size_t in_z = p_.conditioned ? z_.within(limit_of(p_, radius)) : 0;
        z_end = std::max(z_end, in_z);
        found_.push_back({static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(q),
                          static_cast<std::uint32_t>(inside), static_cast<std::uint32_t>(end),
                          static_cast<std::uint32_t>(in_z)});
      }
    });
    if (p_.conditioned) walk_.count(z_, z_end, labels_, own_, ~std::uint32_t{0});
    for (const Found& f : found_)
      add(f.lane, f.q, f.inside, p_.conditioned ? walk_.met(f.in_z, f.lane) : total(f.lane), f.in_yz, f.in_z);
  }

  /// Without z: samples with the centre's label.
  std::size_t total(std::size_t lane) const {
    return (*task_.total)[(batch_ * label_batch + lane) * task_.label_count + label(lane)];
  }

  void add_rare(std::size_t i, std::uint64_t lanes) {
    pending_.clear();
    each_lane(lanes, [&](std::size_t lane) { find_rare(i, lane); });
    std::size_t beyond = 0;
    for (const Rare& r : pending_) {
      needed_ = std::max(needed_, std::min(r.limit, radius_));
      beyond += r.limit > radius_;
    }
    if (beyond > few_scans) list_near(i, p_.sample.range);
    for (const Rare& r : pending_) {
      std::size_t in_yz = yz_.within(r.limit), in_z = p_.conditioned ? z_.within(r.limit) : 0;
      if (r.limit > radius_) {
        far_.find(i, r.limit);
        in_z = far_.size();
        in_yz = static_cast<std::size_t>(
            std::count_if(far_.yz(), far_.yz() + far_.size(), [&](std::int32_t d) { return d <= r.limit; }));
      }
      add(r.lane, r.q, r.inside, p_.conditioned ? r.in_xz : total(r.lane), in_yz, in_z);
    }
  }

  /// The radii of one permutation from the distances to the few samples with its label.
  void find_rare(std::size_t i, std::size_t lane) {
    const RareLabels::Members& members = (*task_.members)[batch_ * label_batch + lane];
    const std::uint32_t r = task_.rare->number[label(lane)];
    in_yz_.clear();
    in_z_.clear();
    for (std::size_t m = members.first[r]; m < members.first[r + 1]; ++m) {
      const std::int32_t dz = distance(task_.fixed->z, task_.fixed->z_category, i, members.sample[m]);
      const std::int32_t dyz = std::max(dz, distance(task_.fixed->y, task_.fixed->y_category, i, members.sample[m]));
      in_z_.push_back(dz);
      if (dyz <= p_.sample.range) in_yz_.push_back(dyz);
    }
    if (in_yz_.size() < 2) return;
    std::sort(in_yz_.begin(), in_yz_.end());
    for (std::size_t q = 0; q < p_.ks.size(); ++q) {
      const std::size_t k = std::min(p_.ks[q], in_yz_.size() - 1);
      const std::int32_t radius = in_yz_[k], limit = limit_of(p_, radius);
      const auto within = [](const std::vector<std::int32_t>& distances, std::int32_t most) {
        return static_cast<std::uint32_t>(
            std::count_if(distances.begin(), distances.end(), [=](std::int32_t d) { return d <= most; }));
      };
      pending_.push_back({static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(q),
                          p_.closed ? within(in_yz_, radius) - 1 : static_cast<std::uint32_t>(k), within(in_z_, limit),
                          limit});
    }
  }

  std::int32_t distance(const std::vector<std::vector<std::int32_t>>& columns,
                        const std::vector<std::int32_t>& category, std::size_t i, std::size_t j) const {
    if (!category.empty() && category[i] != category[j]) return p_.sample.apart();
    std::int32_t d = 0;
    for (const auto& column : columns) d = std::max(d, std::abs(column[i] - column[j]));
    return d;
  }

  static constexpr std::size_t few_scans = 12;  ///< radii beyond the lists that are worth a scan each

  struct Found {
    std::uint32_t lane, q, inside, in_yz, in_z;
  };
  struct Rare {
    std::uint32_t lane, q, inside, in_xz;
    std::int32_t limit;
  };

  const LabelLaneTask<T>& task_;
  const StatisticProblem& p_;
  NearScan scan_, far_;
  StatisticSum* sums_;
  SortedNear<Key> yz_, z_;
  LabelWalk<T, Key> walk_;
  const T *labels_ = nullptr, *own_ = nullptr;
  std::size_t batch_ = 0, lanes_ = 0;
  std::int32_t radius_ = 0, needed_ = 0, guess_ = 0;
  std::vector<Found> found_;
  std::vector<Rare> pending_;
  std::vector<std::int32_t> in_yz_, in_z_;
};

template <class Key, class T>
void AddTermsBy(const LabelLaneTask<T>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  LabelLaneSweep<T, Key> sweep(task, sums);
  for (std::size_t place = begin; place < end; ++place) sweep.add_terms(place);
}

template <class T>
void AddTerms(const LabelLaneTask<T>& task, std::size_t begin, std::size_t end, StatisticSum* sums) {
  if (SortedNear<std::uint32_t>::fits(task.problem->sample.apart(), task.fixed->n))
    AddTermsBy<std::uint32_t>(task, begin, end, sums);
  else
    AddTermsBy<std::uint64_t>(task, begin, end, sums);
}

}  // namespace macmi::citest::HWY_NAMESPACE::labels

namespace macmi::citest::HWY_NAMESPACE {

void AddLabelLaneTerms8(const LabelLaneTask<std::int8_t>& task, std::size_t begin, std::size_t end,
                        StatisticSum* sums) {
  labels::AddTerms(task, begin, end, sums);
}
void AddLabelLaneTerms16(const LabelLaneTask<std::int16_t>& task, std::size_t begin, std::size_t end,
                         StatisticSum* sums) {
  labels::AddTerms(task, begin, end, sums);
}
void AddLabelLaneTerms32(const LabelLaneTask<std::int32_t>& task, std::size_t begin, std::size_t end,
                         StatisticSum* sums) {
  labels::AddTerms(task, begin, end, sums);
}

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(AddLabelLaneTerms8);
HWY_EXPORT(AddLabelLaneTerms16);
HWY_EXPORT(AddLabelLaneTerms32);

void add_label_lane_terms(const LabelLaneTask<std::int8_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddLabelLaneTerms8)(task, begin, end, sums);
}
void add_label_lane_terms(const LabelLaneTask<std::int16_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddLabelLaneTerms16)(task, begin, end, sums);
}
void add_label_lane_terms(const LabelLaneTask<std::int32_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums) {
  HWY_DYNAMIC_DISPATCH(AddLabelLaneTerms32)(task, begin, end, sums);
}

}  // namespace macmi::citest
#endif
