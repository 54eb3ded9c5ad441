#include <algorithm>
#include <map>
#include <tuple>

#include "citest/engines/engine_sums.hpp"
#include "citest/engines/lanes/lane_kernel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

std::int32_t code(const std::vector<std::int32_t>& category, std::size_t i) {
  return category.empty() ? 0 : category[i];
}

template <class T>
class LaneEngine final : public StatisticEngine {
 public:
  LaneEngine(const StatisticProblem& problem, std::size_t threads)
      : problem_(problem),
        threads_(threads),
        fixed_(problem),
        windows_(problem.centre_count() * problem.ks.size()),
        stored_(problem.centre_count()) {
    const LatticeSample& sample = problem.sample;
    if (!problem.conditioned && sample.x.columns.size() == 1 && sample.x.category.empty()) index_x();
  }

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = problem_.sample.n, lanes = sources.size() / n, scales = problem_.ks.size();
    fill(sources, lanes);
    const LaneTask<T> task{&problem_, &fixed_, &permuted_, &windows_, &stored_, &room_};
    const std::size_t padded = permuted_.batches * batch_lanes * scales;
    sum_in_parallel(
        problem_.centre_count(), 128, threads_, sums, padded,
        [&](std::size_t begin, std::size_t end, StatisticSum* mine) { add_lane_terms(task, begin, end, mine); });
  }

 private:
  void index_x() {
    permuted_.sorted_x = problem_.sample.x.columns.front();
    std::sort(permuted_.sorted_x.begin(), permuted_.sorted_x.end());
    while ((permuted_.sorted_x.back() >> permuted_.bucket_shift) > 8191) ++permuted_.bucket_shift;
    const std::size_t buckets = static_cast<std::size_t>(permuted_.sorted_x.back() >> permuted_.bucket_shift) + 1;
    permuted_.first_in_bucket.assign(buckets + 1, 0);
    for (const std::int32_t v : permuted_.sorted_x)
      ++permuted_.first_in_bucket[static_cast<std::size_t>(v >> permuted_.bucket_shift) + 1];
    for (std::size_t b = 0; b < buckets; ++b) permuted_.first_in_bucket[b + 1] += permuted_.first_in_bucket[b];
  }

  /// Permuted columns as rows of 64 lanes; lanes beyond the last permutation repeat it.
  void fill(std::span<const std::uint32_t> sources, std::size_t lanes) {
    const LatticeBlock& x = problem_.sample.x;
    const std::size_t n = problem_.sample.n;
    permuted_.columns = x.columns.size();
    permuted_.batches = (lanes + batch_lanes - 1) / batch_lanes;
    permuted_.rows.resize(permuted_.batches * n * permuted_.columns * batch_lanes);
    if (!x.category.empty()) permuted_.category.resize(permuted_.batches * n * batch_lanes);
    constexpr std::size_t tile = 16;
    base::parallel_for((n + tile - 1) / tile, 16, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t l = 0; l < permuted_.batches * batch_lanes; ++l) {
        const std::uint32_t* source = sources.data() + std::min(l, lanes - 1) * n;
        const std::size_t batch = l / batch_lanes, lane = l % batch_lanes;
        for (std::size_t j = first * tile; j < std::min(n, last * tile); ++j) {
          T* row = permuted_.rows.data() + (batch * n + j) * permuted_.columns * batch_lanes + lane;
          for (std::size_t d = 0; d < permuted_.columns; ++d)
            row[d * batch_lanes] = static_cast<T>(problem_.x_at(d, j, source[j]));
          if (!x.category.empty())
            permuted_.category[(batch * n + j) * batch_lanes + lane] = static_cast<T>(x.category[source[j]]);
        }
      }
    });
    if (!x.category.empty()) count_cells();
  }

  void count_cells() {
    const LatticeSample& sample = problem_.sample;
    permuted_.cell_size.resize(permuted_.category.size());
    base::parallel_for(permuted_.batches * batch_lanes, 1, threads_, [&](std::size_t first, std::size_t last) {
      std::map<std::tuple<T, std::int32_t, std::int32_t>, std::uint32_t> cells;
      for (std::size_t l = first; l < last; ++l) {
        cells.clear();
        const auto at = [&](std::size_t i) { return (l / batch_lanes * sample.n + i) * batch_lanes + l % batch_lanes; };
        const auto key = [&](std::size_t i) {
          return std::tuple(permuted_.category[at(i)], code(sample.y.category, i), code(sample.z.category, i));
        };
        for (std::size_t i = 0; i < sample.n; ++i) ++cells[key(i)];
        for (std::size_t i = 0; i < sample.n; ++i) permuted_.cell_size[at(i)] = cells[key(i)];
      }
    });
  }

  const StatisticProblem& problem_;
  std::size_t threads_;
  FixedSide fixed_;
  PermutedSide<T> permuted_;
  std::vector<LaneWindow<T>> windows_;
  std::vector<base::AlignedVector<std::uint32_t>> stored_;
  std::atomic<std::int64_t> room_{std::int64_t{192} << 20};
};

}  // namespace

std::unique_ptr<StatisticEngine> make_lane_engine(const StatisticProblem& problem, std::size_t threads) {
  const auto& category = problem.sample.x.category;
  const bool few_categories = category.empty() || *std::max_element(category.begin(), category.end()) < 32767;
  if (problem.sample.range <= narrow_lattice && few_categories)
    return std::make_unique<LaneEngine<std::int16_t>>(problem, threads);
  return std::make_unique<LaneEngine<std::int32_t>>(problem, threads);
}

}  // namespace macmi::citest
