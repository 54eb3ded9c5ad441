#include "citest/grid_kernel.hpp"

#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/grid_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "base/compress-inl.hpp"
#include "citest/rank_grid-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {

/// Finds the radii of one permutation after the other: a search for the smallest square around a point that holds
/// enough points, each step a count on the rank grid, from the radius that points nearby had.
template <class T>
class GridSweep {
 public:
  explicit GridSweep(const GridTask& task)
      : task_(task), p_(*task.problem), n_(p_.sample.n), grid_(n_), rank_at_(n_), x_at_(n_ + 64), y_at_(n_ + 64) {
    while ((n_ - 1) >> cell_shift_ >= cells) ++cell_shift_;
    usual_.assign(cells * cells * p_.ks.size(), 0.0f);
    latest_.assign(p_.ks.size(), 0.0f);
  }

  void evaluate(const std::uint32_t* source, StatisticSum* sums) {
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint32_t r = task_.x_rank[source[task_.y_order[j]]];
      grid_.place(j, r);
      rank_at_[j] = r;
      x_at_[j] = task_.x[r];
      y_at_[r] = task_.y[j];
    }
    grid_.build();
    for (std::size_t j = 0; j < n_; j += batch) add_terms(j, std::min(n_, j + batch), sums);
  }

 private:
  /// A radius with the points and ranks in its square.
  struct Square {
    std::int32_t radius;
    std::uint32_t count;
    RankBox box;
  };

  /// A search for the smallest radius that holds `need` points: ends[0] holds too few, ends[1] enough.
  struct Search {
    std::int32_t x, y;
    std::uint32_t need, tried;  ///< bit 0, 1: the end comes from a count
    bool latest;                ///< the end that the last count has moved
    Square ends[2];
    float* usual;
    bool is_over() const { return ends[1].radius - ends[0].radius <= 1; }
    std::uint32_t margins_between() const { return ends[1].box.margins() - ends[0].box.margins(); }
  };

  void add_terms(std::size_t begin, std::size_t end, StatisticSum* sums) {
    const std::span<Search> searches(searches_.data(), end - begin);
    for (std::size_t j = begin; j < end; ++j) searches[j - begin] = at_point(j);
    const std::uint32_t n = task_.x.size();
    for (std::size_t q = 0; q < p_.ks.size(); ++q) {
      const auto k = static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[q], n - 1));
      if (k == 0) continue;
      // The first two counts of all points of the batch side by side: they wait for memory, not for each other.
      for (Search& s : searches) widen(s, k + 1);
      for (Search& s : searches)
        if (!s.is_over()) narrow(s, static_cast<std::int32_t>(s.usual[q] > 0 ? s.usual[q] : latest_[q]));
      for (Search& s : searches)
        if (!s.is_over()) narrow(s, from_one_end(s));
      for (Search& s : searches) {
        complete(s);
        latest_[q] = static_cast<float>(s.ends[1].radius);
        s.usual[q] += (s.usual[q] > 0 ? 0.1f : 1.0f) * (latest_[q] - s.usual[q]);
        add_term(s, k, sums[q]);
      }
    }
  }

  Search at_point(std::size_t j) {
    const std::size_t r = rank_at_[j];
    const std::int32_t x = x_at_[j], y = task_.y[j];
    const std::uint32_t x0 = task_.x.below(x), y0 = task_.y.below(y);
    const Square nothing{-1, 0, {x0, x0, y0, y0}};
    return {x, y, 0, 0, false, {nothing, nothing},
            usual_.data() + ((j >> cell_shift_) * cells + (r >> cell_shift_)) * p_.ks.size()};
  }

  /// Goes on to a larger need: from the radius of the last one to all points.
  void widen(Search& s, std::uint32_t need) const {
    s.need = need;
    s.tried = 0;
    s.latest = true;
    if (s.ends[1].count >= need) {
      s.ends[0].radius = s.ends[1].radius - 1;
      return;
    }
    const std::uint32_t n = task_.x.size();
    s.ends[0] = s.ends[1];
    s.ends[1] = {0, n, {0, n, 0, n}};
    s.ends[1].radius = reach(s, s.ends[1].box);
  }

  void add_term(const Search& s, std::uint32_t k, StatisticSum& sum) const {
    const Square& found = s.ends[1];
    const RankBox box = p_.closed ? found.box : square(s, std::max(found.radius - 1, 0));
    const std::uint32_t self = p_.closed ? 1 : 0;
    sum.terms += p_.psi[p_.closed ? found.count - 1 : k] + p_.psi[n_] - p_.psi[box.x_high - box.x_low - self] -
                 p_.psi[box.y_high - box.y_low - self];
    ++sum.samples;
  }

  RankBox square(const Search& s, std::int32_t radius) const {
    return {task_.x.below(s.x - radius), task_.x.below(s.x + radius + 1), task_.y.below(s.y - radius),
            task_.y.below(s.y + radius + 1)};
  }

  /// The radius of the square that just holds the ranks of a box.
  std::int32_t reach(const Search& s, const RankBox& box) const {
    return std::max(std::max(s.x - task_.x[box.x_low], task_.x.before(box.x_high) - s.x),
                    std::max(s.y - task_.y[box.y_low], task_.y.before(box.y_high) - s.y));
  }

  /// The smallest radius that takes in a rank more.
  std::int32_t next_reach(const Search& s, const RankBox& box) const {
    return std::min(std::min(s.x - task_.x.before(box.x_low), task_.x[box.x_high] - s.x),
                    std::min(s.y - task_.y.before(box.y_low), task_.y[box.y_high] - s.y));
  }

  /// Counts at a radius between the ends and moves one of them, without a branch: it could not be predicted.
  void narrow(Search& s, std::int32_t guess) const {
    const std::int32_t radius = std::max(std::min(guess, s.ends[1].radius - 1), s.ends[0].radius + 1);
    const RankBox box = square(s, radius);
    const std::uint32_t count = grid_.count(box);
    const std::int32_t snapped[2] = {next_reach(s, box) - 1, reach(s, box)};
    const bool enough = count >= s.need;
    s.ends[enough] = {snapped[enough], count, box};
    s.tried |= 1u << enough;
    s.latest = enough;
  }

  /// Counts grow about as the square of the radius; aims beyond the need by as much as chance may miss it.
  static std::int32_t from_one_end(const Search& s) {
    const Square& end = s.ends[s.latest];
    const float count = static_cast<float>(end.count), miss = static_cast<float>(s.need) - 0.5f - count;
    const float aim = static_cast<float>(s.need) - 0.5f + std::copysign(std::sqrt(std::abs(miss)), miss);
    return to_radius(static_cast<float>(end.radius) * std::sqrt(std::max(aim, 0.5f) / count) + 0.5f);
  }

  static std::int32_t between_ends(const Search& s) {
    const auto low = static_cast<float>(s.ends[0].radius), high = static_cast<float>(s.ends[1].radius);
    const auto few_points = static_cast<float>(s.ends[0].count), many = static_cast<float>(s.ends[1].count);
    return to_radius(low + (high - low) * (static_cast<float>(s.need) - 0.5f - few_points) / (many - few_points));
  }

  static std::int32_t to_radius(float radius) {
    return static_cast<std::int32_t>(std::min(radius, static_cast<float>(wide_lattice)));
  }

  void complete(Search& s) const {
    for (int step = 0; !s.is_over(); ++step) {
      if (s.margins_between() <= few) return finish(s);
      if (step > 3 && step % 2 == 0)  // ties and clusters defeat the models
        narrow(s, s.ends[0].radius + (s.ends[1].radius - s.ends[0].radius) / 2);
      else
        narrow(s, s.tried == 3 ? between_ends(s) : from_one_end(s));
    }
  }

  /// Takes the distances of the points between the two squares, of which there are few.
  void finish(Search& s) const {
    const Kept::Tag d;
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN std::int32_t distances[few + 2 * hn::MaxLanes(d)];
    std::size_t m = 0;
    const RankBox &inner = s.ends[0].box, &outer = s.ends[1].box;
    const auto beyond = hn::Set(d, s.ends[1].radius + 1);
    // `across` is what the ranks run along; a point is taken if it lies within `limit` the other way.
    const auto collect = [&](std::uint32_t begin, std::uint32_t end, const std::int32_t* across, std::int32_t from,
                             const std::int32_t* other, std::int32_t other_from, std::int32_t limit) HWY_ATTR {
      for (std::size_t r = begin; r < end; r += lanes) {
        const auto along = hn::Abs(hn::Sub(hn::LoadU(d, across + r), hn::Set(d, from)));
        const auto aside = hn::Abs(hn::Sub(hn::LoadU(d, other + r), hn::Set(d, other_from)));
        const auto distance = hn::Max(along, aside);
        const Kept kept(hn::And(hn::And(hn::Lt(aside, hn::Set(d, limit + 1)), hn::Lt(distance, beyond)), hn::FirstN(d, end - r)));
        kept.store(distance, distances + m);
        m += kept.count();
      }
    };
    const std::int32_t low = s.ends[0].radius, high = s.ends[1].radius;
    collect(outer.y_low, inner.y_low, task_.y.data(), s.y, x_at_.data(), s.x, high);
    collect(inner.y_high, outer.y_high, task_.y.data(), s.y, x_at_.data(), s.x, high);
    collect(outer.x_low, inner.x_low, task_.x.data(), s.x, y_at_.data(), s.y, low);
    collect(inner.x_high, outer.x_high, task_.x.data(), s.x, y_at_.data(), s.y, low);
    // How many are nearer, and as near, than each: all at once, without a branch that could not be predicted.
    const auto wanted = hn::Set(d, static_cast<std::int32_t>(s.need - s.ends[0].count));
    for (std::size_t c = 0; c < m; c += lanes) {
      const auto candidate = hn::Load(d, distances + c), next = hn::Add(candidate, hn::Set(d, 1));
      auto nearer = hn::Zero(d), as_near = nearer;
      for (std::size_t t = 0; t < m; ++t) {
        const auto other = hn::Set(d, distances[t]);
        nearer = hn::Sub(nearer, hn::VecFromMask(d, hn::Lt(other, candidate)));
        as_near = hn::Sub(as_near, hn::VecFromMask(d, hn::Lt(other, next)));
      }
      const auto radius = hn::And(hn::AndNot(hn::Lt(as_near, wanted), hn::Lt(nearer, wanted)), hn::FirstN(d, m - c));
      const std::intptr_t lane = hn::FindFirstTrue(d, radius);
      if (lane < 0) continue;
      HWY_ALIGN std::int32_t counts[hn::MaxLanes(d)];
      hn::Store(as_near, d, counts);
      const std::int32_t found = distances[c + static_cast<std::size_t>(lane)];
      s.ends[1] = {found, s.ends[0].count + static_cast<std::uint32_t>(counts[lane]), square(s, found)};
      return;
    }
  }

  static constexpr std::size_t batch = 16;
  static constexpr std::size_t cells = 64;  ///< along each axis, for the usual radii
  static constexpr std::uint32_t few = 64;

  const GridTask& task_;
  const StatisticProblem& p_;
  std::size_t n_;
  RankGrid<T> grid_;
  std::vector<std::uint32_t> rank_at_;     ///< x-rank of each y-rank
  std::vector<std::int32_t> x_at_, y_at_;  ///< x of each y-rank, y of each x-rank, and room for vector loads
  int cell_shift_ = 0;
  std::vector<float> usual_, latest_;  ///< radii by cell and scale, and of the last point: first guesses
  std::array<Search, batch> searches_;
};

template <class T>
void Evaluate(const GridTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) {
  GridSweep<T> sweep(task);
  const std::size_t n = task.problem->sample.n;
  for (std::size_t lane = 0; lane * n < sources.size(); ++lane)
    sweep.evaluate(sources.data() + lane * n, sums.data() + lane * task.problem->ks.size());
}

void EvaluateOnGrid(const GridTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) {
  if (task.problem->sample.n <= 65535)
    Evaluate<std::int16_t>(task, sources, sums);
  else
    Evaluate<std::int32_t>(task, sources, sums);
}

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi {
HWY_EXPORT(EvaluateOnGrid);

void evaluate_on_grid(const GridTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) {
  HWY_DYNAMIC_DISPATCH(EvaluateOnGrid)(task, sources, sums);
}
}  // namespace macmi
#endif
