#include "citest/grid_kernel.hpp"

#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/grid_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "citest/rank_grid-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {

/// Finds the radii of one permutation after the other: a search for the smallest square around a point that holds
/// enough points, each step a count on the rank grid, from the radius that points nearby had.
template <class T>
class GridSweep {
 public:
  explicit GridSweep(const GridTask& task)
      : task_(task), p_(*task.problem), n_(p_.sample.n), grid_(n_), rank_at_(n_), x_at_(n_), y_at_(n_) {
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
    for (std::size_t j = 0; j < n_; ++j) add_terms(j, sums);
  }

 private:
  /// Radius low holds too few points, radius high enough.
  struct Bracket {
    std::int32_t low, high;
    std::uint32_t count_low, count_high;
    RankBox inner, outer;
  };

  void add_terms(std::size_t j, StatisticSum* sums) {
    const std::size_t scales = p_.ks.size(), r = rank_at_[j];
    x_ = x_at_[j];
    y_ = task_.y[j];
    float* usual = usual_.data() + ((j >> cell_shift_) * cells + (r >> cell_shift_)) * scales;
    const std::uint32_t n = task_.x.size(), x0 = task_.x.below(x_), y0 = task_.y.below(y_);
    Bracket found{-1, -1, 0, 0, {x0, x0, y0, y0}, {x0, x0, y0, y0}};
    for (std::size_t q = 0; q < scales; ++q) {
      const auto k = static_cast<std::uint32_t>(std::min<std::size_t>(p_.ks[q], n - 1));
      if (k == 0) continue;
      if (found.count_high < k + 1) {
        found = {found.high, 0, found.count_high, n, found.outer, {0, n, 0, n}};
        found.high = reach(found.outer);
        search(found, k + 1, static_cast<std::int32_t>(usual[q] > 0 ? usual[q] : latest_[q]));
        latest_[q] = static_cast<float>(found.high);
        usual[q] += (usual[q] > 0 ? 0.1f : 1.0f) * (latest_[q] - usual[q]);
      }
      const RankBox box = p_.closed ? found.outer : square(std::max(found.high - 1, 0));
      const std::uint32_t self = p_.closed ? 1 : 0;
      sums[q].terms += p_.psi[p_.closed ? found.count_high - 1 : k] + p_.psi[n] -
                       p_.psi[box.x_high - box.x_low - self] - p_.psi[box.y_high - box.y_low - self];
      ++sums[q].samples;
    }
  }

  RankBox square(std::int32_t radius) const {
    return {task_.x.below(x_ - radius), task_.x.below(x_ + radius + 1), task_.y.below(y_ - radius),
            task_.y.below(y_ + radius + 1)};
  }

  /// The radius of the square that just holds the ranks of a box.
  std::int32_t reach(const RankBox& box) const {
    return std::max(std::max(x_ - task_.x[box.x_low], task_.x[box.x_high - 1] - x_),
                    std::max(y_ - task_.y[box.y_low], task_.y[box.y_high - 1] - y_));
  }

  /// The smallest radius that takes in a rank more.
  std::int32_t next_reach(const RankBox& box) const {
    std::int32_t next = wide_lattice + 1;
    if (box.x_low > 0) next = std::min(next, x_ - task_.x[box.x_low - 1]);
    if (box.x_high < n_) next = std::min(next, task_.x[box.x_high] - x_);
    if (box.y_low > 0) next = std::min(next, y_ - task_.y[box.y_low - 1]);
    if (box.y_high < n_) next = std::min(next, task_.y[box.y_high] - y_);
    return next;
  }

  /// Narrows the bracket until `high` is the smallest radius that holds `need` points.
  void search(Bracket& b, std::uint32_t need, std::int32_t guess) {
    bool low_tried = false, high_tried = false;
    for (int step = 0; b.high - b.low > 1; ++step) {
      if (b.outer.margins() - b.inner.margins() <= few) return finish(b, need);
      if (step > 0) guess = propose(b, need, low_tried, high_tried, step);
      const std::int32_t radius = std::clamp(guess, b.low + 1, b.high - 1);
      const RankBox box = square(radius);
      const std::uint32_t count = grid_.count(box);
      if (count >= need) {
        b.high = reach(box);
        b.count_high = count;
        b.outer = box;
        high_tried = true;
      } else {
        b.low = next_reach(box) - 1;
        b.count_low = count;
        b.inner = box;
        low_tried = true;
      }
    }
  }

  std::int32_t propose(const Bracket& b, std::uint32_t need, bool low_tried, bool high_tried, int step) const {
    if (step > 5 && step % 2 == 0) return b.low + (b.high - b.low) / 2;  // ties and clusters defeat the models
    const float wanted = static_cast<float>(need) - 0.5f;
    const auto low = static_cast<float>(b.low), high = static_cast<float>(b.high);
    const auto count_low = static_cast<float>(b.count_low), count_high = static_cast<float>(b.count_high);
    float radius = low + (high - low) * (wanted - count_low) / (count_high - count_low);
    if (high_tried && !low_tried) radius = high * std::sqrt(std::max(wanted - std::sqrt(count_high - wanted), 0.5f) / count_high);  // counts grow as its square
    if (low_tried && !high_tried) radius = low * std::sqrt((wanted + std::sqrt(wanted - count_low)) / count_low) + 1;
    return static_cast<std::int32_t>(std::min(radius, static_cast<float>(wide_lattice)));
  }

  /// Takes the distances of the points between the two squares, of which there are few.
  void finish(Bracket& b, std::uint32_t need) {
    std::array<std::int32_t, few> distances;
    std::size_t m = 0;
    const auto rows = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t j = begin; j < end; ++j) {
        distances[m] = std::max(std::abs(task_.y[j] - y_), std::abs(x_at_[j] - x_));
        m += distances[m] <= b.high ? 1 : 0;
      }
    };
    const auto columns = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t r = begin; r < end; ++r) {
        distances[m] = std::abs(task_.x[r] - x_);
        m += std::abs(y_at_[r] - y_) <= b.low ? 1 : 0;
      }
    };
    rows(b.outer.y_low, b.inner.y_low);
    rows(b.inner.y_high, b.outer.y_high);
    columns(b.outer.x_low, b.inner.x_low);
    columns(b.inner.x_high, b.outer.x_high);
    const std::uint32_t wanted = need - b.count_low;
    for (std::size_t t = 0; t < m; ++t) {
      std::uint32_t nearer = 0, as_near = 0;
      for (std::size_t u = 0; u < m; ++u) {
        nearer += distances[u] < distances[t] ? 1 : 0;
        as_near += distances[u] <= distances[t] ? 1 : 0;
      }
      if (nearer >= wanted || as_near < wanted) continue;
      b.high = distances[t];
      b.count_high = b.count_low + as_near;
      break;
    }
    b.outer = square(b.high);
  }

  static constexpr std::size_t cells = 64;  ///< along each axis, for the usual radii
  static constexpr std::uint32_t few = 64;

  const GridTask& task_;
  const StatisticProblem& p_;
  std::size_t n_;
  RankGrid<T> grid_;
  std::vector<std::uint32_t> rank_at_;     ///< x-rank of each y-rank
  std::vector<std::int32_t> x_at_, y_at_;  ///< x of each y-rank, y of each x-rank
  int cell_shift_ = 0;
  std::vector<float> usual_, latest_;  ///< radii by cell and scale, and of the last point: first guesses
  std::int32_t x_ = 0, y_ = 0;
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
