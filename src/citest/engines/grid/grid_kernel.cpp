#include "citest/engines/grid/grid_kernel.hpp"

#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/grid/grid_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "citest/engines/grid/few_distances-inl.hpp"
#include "citest/engines/grid/rank_grid-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {

/// Finds the radii of one permutation after the other, from those that points nearby had: for small k by taking the
/// distances of all points around, for others by a search for the smallest square around a point that holds enough
/// points, each step a count on the rank grid.
template <class T>
class GridSweep {
 public:
  explicit GridSweep(const GridTask& task)
      : task_(task),
        p_(*task.problem),
        n_(p_.sample.n),
        grid_(n_, p_.centre_count()),
        rank_at_(n_),
        x_at_(n_ + 64),
        y_at_(n_ + 64) {
    while ((n_ - 1) >> cell_shift_ >= cells) ++cell_shift_;
    usual_.assign(cells * cells * p_.ks.size(), 0.0f);
    latest_.assign(p_.ks.size(), 0.0f);
    while (small_ < p_.ks.size() && p_.ks[small_] <= small_k && p_.ks[small_] < n_) ++small_;
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
    const std::span<const std::uint32_t> centres = task_.centres;
    for (std::size_t c = 0; c < centres.size(); c += batch)
      add_terms(centres.subspan(c, std::min(batch, centres.size() - c)), sums);
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
    bool goes_on;               ///< to a larger need, from what is found
    Square ends[2];
    float* usual;
    bool is_over() const { return ends[1].radius - ends[0].radius <= 1; }
    std::uint32_t margins_between() const { return ends[1].box.margins() - ends[0].box.margins(); }
  };

  void add_terms(std::span<const std::uint32_t> y_ranks, StatisticSum* sums) {
    const std::span<Search> searches(searches_.data(), y_ranks.size());
    for (std::size_t s = 0; s < searches.size(); ++s) searches[s] = at_point(y_ranks[s]);
    for (Search& s : searches)
      if (small_ > 0 && !add_small(s, sums))
        for (std::size_t q = 0; q < small_; ++q) search_all({&s, 1}, q, sums[q]);
    for (std::size_t q = small_; q < p_.ks.size(); ++q) search_all(searches, q, sums[q]);
  }

  void search_all(std::span<Search> searches, std::size_t q, StatisticSum& sum) {
    const auto k = static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[q], n_ - 1));
    if (k == 0) return;
    // The first two counts of all points of the batch side by side: they wait for memory, not for each other.
    for (Search& s : searches) {
      widen(s, k + 1);
      s.goes_on = q + 1 < p_.ks.size();
    }
    for (Search& s : searches)
      if (!s.is_over()) narrow(s, static_cast<std::int32_t>(s.usual[q] > 0 ? s.usual[q] : latest_[q]));
    for (Search& s : searches)
      if (!s.is_over()) narrow(s, from_one_end(s));
    for (Search& s : searches) {
      complete(s);
      add_term(s, k, q, sum);
    }
  }

  /// All scales of small k from the distances of the points around; false if there are too few or too many.
  bool add_small(Search& s, StatisticSum* sums) {
    const std::size_t largest = small_ - 1;
    FewDistances near;
    float reach = small_reach * s.usual[largest];
    for (int attempt = 0; near.size <= p_.ks[largest]; ++attempt, reach *= 1.4f) {
      if (attempt == 2 || reach <= 0 || reach > static_cast<float>(p_.sample.range)) return false;
      const auto radius = static_cast<std::int32_t>(reach);
      const std::uint32_t low = task_.y.below(s.y - radius), high = task_.y.below(s.y + radius + 1);
      near.size = 0;
      if (high - low > longest_strip || !collect_around(near, low, high, s, radius)) return false;
    }
    near.rank();
    for (std::size_t q = 0; q < small_; ++q) {
      s.need = static_cast<std::uint32_t>(p_.ks[q]) + 1;
      s.goes_on = q + 1 == small_ && small_ < p_.ks.size();
      take(s, near, 0);
      add_term(s, s.need - 1, q, sums[q]);
    }
    return true;
  }

  /// Takes the points within a radius, whose y-ranks are low … high-1; false if there are too many.
  bool collect_around(FewDistances& near, std::uint32_t low, std::uint32_t high, const Search& s,
                      std::int32_t radius) const {
    const Kept::Tag d;
    const auto x = hn::Set(d, s.x), y = hn::Set(d, s.y), beyond = hn::Set(d, radius + 1);
    const std::int32_t *x_at = x_at_.data(), *y_at = task_.y.data();
    for (std::size_t r = low; r < high; r += hn::Lanes(d)) {
      const auto distance =
          hn::Max(hn::Abs(hn::Sub(hn::LoadU(d, x_at + r), x)), hn::Abs(hn::Sub(hn::LoadU(d, y_at + r), y)));
      const Kept kept(hn::Lt(distance, beyond));  // none of what follows the last rank
      kept.store(distance, near.distance + near.size);
      near.size += kept.count();
      if (near.size > FewDistances::most) return false;
    }
    return true;
  }

  Search at_point(std::size_t j) {
    const std::size_t r = rank_at_[j];
    const std::int32_t x = x_at_[j], y = task_.y[j];
    const std::uint32_t x0 = task_.x.below(x), y0 = task_.y.below(y);
    const Square nothing{-1, 0, {x0, x0, y0, y0}};
    return {x,
            y,
            0,
            0,
            false,
            false,
            {nothing, nothing},
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

  HWY_INLINE void add_term(const Search& s, std::uint32_t k, std::size_t q, StatisticSum& sum) {
    const Square& found = s.ends[1];
    latest_[q] = static_cast<float>(found.radius);
    s.usual[q] += (s.usual[q] > 0 ? 0.1f : 1.0f) * (latest_[q] - s.usual[q]);
    const RankBox box = p_.closed ? found.box : square(s, std::max(found.radius - 1, 0));
    const std::uint32_t self = p_.closed ? 1 : 0;
    sum.terms += p_.psi[p_.closed ? found.count - 1 : k] + p_.psi[n_] - p_.psi[box.x_high - box.x_low - self] -
                 p_.psi[box.y_high - box.y_low - self];
  }

  HWY_INLINE RankBox square(const Search& s, std::int32_t radius) const {
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
    FewDistances near;
    const RankBox &inner = s.ends[0].box, &outer = s.ends[1].box;
    const std::int32_t low = s.ends[0].radius, high = s.ends[1].radius;
    collect(near, outer.y_low, inner.y_low, task_.y.data(), s.y, x_at_.data(), s.x, high, high);
    collect(near, inner.y_high, outer.y_high, task_.y.data(), s.y, x_at_.data(), s.x, high, high);
    collect(near, outer.x_low, inner.x_low, task_.x.data(), s.x, y_at_.data(), s.y, low, high);
    collect(near, inner.x_high, outer.x_high, task_.x.data(), s.x, y_at_.data(), s.y, low, high);
    near.rank();
    take(s, near, s.ends[0].count);
  }

  /// Takes points with ranks begin … end-1 along one axis that lie within `aside` along the other and within `limit`
  /// along both.
  HWY_INLINE static void collect(FewDistances& near, std::uint32_t begin, std::uint32_t end, const std::int32_t* along,
                                 std::int32_t from, const std::int32_t* across, std::int32_t across_from,
                                 std::int32_t aside, std::int32_t limit) {
    const Kept::Tag d;
    for (std::size_t r = begin; r < end; r += hn::Lanes(d)) {
      const auto one = hn::Abs(hn::Sub(hn::LoadU(d, along + r), hn::Set(d, from)));
      const auto other = hn::Abs(hn::Sub(hn::LoadU(d, across + r), hn::Set(d, across_from)));
      const auto distance = hn::Max(one, other);
      const auto inside = hn::And(hn::Lt(other, hn::Set(d, aside + 1)), hn::Lt(distance, hn::Set(d, limit + 1)));
      const Kept kept(hn::And(inside, hn::FirstN(d, end - r)));
      kept.store(distance, near.distance + near.size);
      near.size += kept.count();
    }
  }

  /// The radius that holds as many as needed, of which `inside` are nearer than all of `near`.
  HWY_INLINE void take(Search& s, const FewDistances& near, std::uint32_t inside) const {
    s.ends[1].radius = near.of_rank(s.need - inside);
    if (!p_.closed && !s.goes_on) return;  // nobody asks for more
    s.ends[1].count = inside + near.within(s.ends[1].radius);
    s.ends[1].box = square(s, s.ends[1].radius);
  }

  static constexpr std::size_t batch = 16;
  static constexpr std::size_t cells = 64;  ///< along each axis, for the usual radii
  static constexpr std::uint32_t few = 64;
  static constexpr std::size_t small_k = 24;            ///< up to which all points around are taken
  static constexpr float small_reach = 1.15f;           ///< within this many usual radii
  static constexpr std::uint32_t longest_strip = 1024;  ///< ranks to look at for them

  const GridTask& task_;
  const StatisticProblem& p_;
  std::size_t n_;
  RankGrid<T> grid_;
  std::vector<std::uint32_t> rank_at_;     ///< x-rank of each y-rank
  std::vector<std::int32_t> x_at_, y_at_;  ///< x of each y-rank, y of each x-rank, and room for vector loads
  int cell_shift_ = 0;
  std::size_t small_ = 0;              ///< scales of small k
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

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(EvaluateOnGrid);

void evaluate_on_grid(const GridTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) {
  HWY_DYNAMIC_DISPATCH(EvaluateOnGrid)(task, sources, sums);
}

}  // namespace macmi::citest
#endif
