#include <algorithm>
#include <cmath>
#include <vector>

#include "citest/engines/engine_sums.hpp"
#include "citest/engines/labels/label_lanes.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

/// Labels whose samples are found faster one by one than by walking outwards until k of them are met.
RareLabels rare_labels(const std::vector<std::uint32_t>& label, std::size_t labels, std::size_t largest_k) {
  const auto n = static_cast<double>(label.size());
  const double few = std::min(n / 125, std::sqrt(static_cast<double>(largest_k) * n / 125));
  std::vector<std::size_t> size(labels);
  for (const std::uint32_t c : label) ++size[c];
  RareLabels rare;
  for (const std::size_t s : size)
    rare.number.push_back(static_cast<double>(s) < few ? static_cast<std::uint32_t>(rare.count++) : RareLabels::common);
  return rare;
}

template <class T>
class LabelLaneEngine final : public StatisticEngine {
 public:
  LabelLaneEngine(const StatisticProblem& problem, std::size_t threads, std::vector<std::uint32_t> label,
                  std::size_t labels)
      : problem_(problem),
        threads_(threads),
        fixed_(problem),
        places_(problem),
        label_(std::move(label)),
        labels_(labels),
        rare_(rare_labels(label_, labels, problem.ks.back())),
        reach_(places_.count(), -1) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t lanes = sources.size() / fixed_.n, batches = (lanes + label_batch - 1) / label_batch;
    fill(sources, lanes, batches);
    const LabelLaneTask<T> task{&problem_, &fixed_,   &places_, lanes,   batches, &permuted_,
                                &rare_,    &members_, &total_,  labels_, reach_};
    sum_in_parallel(
        places_.count(), 64, threads_, sums, 0,
        [&](std::size_t begin, std::size_t end, StatisticSum* mine) { add_label_lane_terms(task, begin, end, mine); });
  }

 private:
  /// Permuted labels as rows of 64 lanes; lanes beyond the last permutation repeat it.
  void fill(std::span<const std::uint32_t> sources, std::size_t lanes, std::size_t batches) {
    const std::size_t n = fixed_.n;
    permuted_.resize(batches * n * label_batch);
    if (rare_.count > 0) members_.resize(lanes);
    if (!problem_.conditioned) total_.assign(lanes * labels_, 0);
    constexpr std::size_t tile = 64;  // samples: what a cache line holds of a lane is used at once
    base::parallel_for((n + tile - 1) / tile, 16, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t t = first; t < last; ++t)
        for (std::size_t l = 0; l < batches * label_batch; ++l) {
          const std::uint32_t* source = sources.data() + std::min(l, lanes - 1) * n;
          T* row = permuted_.data() + l / label_batch * n * label_batch + l % label_batch;
          for (std::size_t i = t * tile; i < std::min(n, (t + 1) * tile); ++i)
            row[i * label_batch] = static_cast<T>(label_[source[i]]);
        }
    });
    base::parallel_for(lanes, 4, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t l = first; l < last; ++l) {
        if (rare_.count > 0) list_members(sources.subspan(l * n, n), members_[l]);
        if (!problem_.conditioned)
          for (const std::uint32_t s : sources.subspan(l * n, n)) ++total_[l * labels_ + label_[s]];
      }
    });
  }

  void list_members(std::span<const std::uint32_t> source, RareLabels::Members& members) const {
    members.first.assign(rare_.count + 1, 0);
    for (const std::uint32_t s : source)
      if (const std::uint32_t r = rare_.number[label_[s]]; r != RareLabels::common) ++members.first[r + 1];
    for (std::size_t r = 0; r < rare_.count; ++r) members.first[r + 1] += members.first[r];
    members.sample.resize(members.first.back());
    std::vector<std::uint32_t> next = members.first;
    for (std::size_t i = 0; i < source.size(); ++i)
      if (const std::uint32_t r = rare_.number[label_[source[i]]]; r != RareLabels::common)
        members.sample[next[r]++] = static_cast<std::uint32_t>(i);
  }

  const StatisticProblem& problem_;
  std::size_t threads_;
  FixedSide fixed_;
  Places places_;
  std::vector<std::uint32_t> label_;  ///< of each sample as it is
  std::size_t labels_;
  RareLabels rare_;
  std::vector<std::int32_t> reach_;
  base::AlignedVector<T> permuted_;
  std::vector<RareLabels::Members> members_;
  std::vector<std::uint32_t> total_;
};

}  // namespace

std::unique_ptr<StatisticEngine> make_label_lane_engine(const StatisticProblem& problem, std::size_t threads) {
  std::vector<std::uint32_t> label = numbered(problem.sample.x.category);
  const std::size_t labels = *std::max_element(label.begin(), label.end()) + std::size_t{1};
  if (labels <= 256) return std::make_unique<LabelLaneEngine<std::int8_t>>(problem, threads, std::move(label), labels);
  if (labels <= 65536)
    return std::make_unique<LabelLaneEngine<std::int16_t>>(problem, threads, std::move(label), labels);
  return std::make_unique<LabelLaneEngine<std::int32_t>>(problem, threads, std::move(label), labels);
}

}  // namespace macmi::citest
