#include <algorithm>
#include <numeric>
#include <vector>

#include "citest/engines/engine_sums.hpp"
#include "citest/engines/labels/label_kernel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

class LabelEngine final : public StatisticEngine {
 public:
  LabelEngine(const StatisticProblem& problem, std::size_t threads)
      : problem_(problem),
        threads_(threads),
        fixed_(problem),
        places_(problem),
        label_(numbered(problem.sample.x.category)),
        labels_(*std::max_element(label_.begin(), label_.end()) + 1),
        reach_(places_.count(), -1) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const LabelMasks masks = masks_of(sources);
    const LabelTask task{&problem_, &fixed_, &places_, &masks, sources, reach_};
    sum_in_parallel(
        places_.count(), 128, threads_, sums, 0,
        [&](std::size_t begin, std::size_t end, StatisticSum* mine) { add_label_terms(task, begin, end, mine); });
  }

 private:
  LabelMasks masks_of(std::span<const std::uint32_t> sources) const {
    const std::size_t n = fixed_.n, lanes = sources.size() / n;
    LabelMasks masks{labels_, (lanes + slice_lanes - 1) / slice_lanes, n, {}};
    masks.words.assign(masks.batches * labels_ * n * slice_words, 0);
    base::parallel_for(n, 512, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t* words = masks.of(lane / slice_lanes, 0) + lane % slice_lanes / 64;
        const std::uint64_t bit = std::uint64_t{1} << lane % 64;
        for (std::size_t i = begin; i < end; ++i) words[(label_[sources[lane * n + i]] * n + i) * slice_words] |= bit;
      }
    });
    return masks;
  }

  const StatisticProblem& problem_;
  std::size_t threads_;
  FixedSide fixed_;
  Places places_;
  std::vector<std::uint32_t> label_;  ///< of each sample as it is
  std::size_t labels_;
  std::vector<std::int32_t> reach_;
};

}  // namespace

Places::Places(const StatisticProblem& problem) : member(problem.centre_count()) {
  const LatticeSample& sample = problem.sample;
  std::vector<const std::vector<std::int32_t>*> keys;
  for (const LatticeBlock* block : {&sample.z, &sample.y}) {
    if (!block->category.empty()) keys.push_back(&block->category);
    for (const auto& column : block->columns) keys.push_back(&column);
  }
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    for (const auto* key : keys)
      if ((*key)[a] != (*key)[b]) return (*key)[a] < (*key)[b] ? -1 : 1;
    return 0;
  };
  for (std::size_t c = 0; c < member.size(); ++c) member[c] = static_cast<std::uint32_t>(problem.centre(c));
  std::sort(member.begin(), member.end(), [&](auto a, auto b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a < b;
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // begin and end in `member`
  for (std::uint32_t begin = 0, end = 0; begin < member.size(); begin = end) {
    while (end < member.size() && compare(member[begin], member[end]) == 0) ++end;
    runs.emplace_back(begin, end);
  }
  // In the order of the samples, which is one of space: a place's radius is a guess for the next one's.
  std::sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return member[a.first] < member[b.first]; });
  std::vector<std::uint32_t> ordered;
  first.push_back(0);
  for (const auto& [begin, end] : runs) {
    ordered.insert(ordered.end(), member.begin() + begin, member.begin() + end);
    first.push_back(static_cast<std::uint32_t>(ordered.size()));
  }
  member = std::move(ordered);
}

bool label_engine_fits(const StatisticProblem& problem) {
  const LatticeBlock& x = problem.sample.x;
  return x.columns.empty() && !x.category.empty() && !problem.only_categories();
}

std::unique_ptr<StatisticEngine> make_label_engine(const StatisticProblem& problem, std::size_t threads) {
  return std::make_unique<LabelEngine>(problem, threads);
}

}  // namespace macmi::citest
