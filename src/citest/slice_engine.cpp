#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/parallel.hpp"
#include "citest/slice_kernel.hpp"
#include "citest/statistic.hpp"

namespace macmi {
namespace {

/// More sources per sample than this are left to the lanes: time grows as their square.
constexpr std::size_t most_choices = 24;
constexpr double most_on_average = 9;

/// The sources of one sample, as they turn up.
struct Seen {
  static constexpr std::size_t usual = 8;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  std::array<std::uint32_t, most_choices> source = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
  std::size_t count = 0;

  /// The number of a source, or most_choices when there are too many.
  std::size_t number(std::uint32_t wanted) {
    // All of the first eight are looked at: where to stop could not be predicted.
    std::uint32_t found = 0;
    for (std::uint32_t c = 0; c < usual; ++c) found |= source[c] == wanted ? c + 1 : 0;
    if (found > 0) return found - 1;
    for (std::size_t c = usual; c < count; ++c)
      if (source[c] == wanted) return c;
    if (count == most_choices) return most_choices;
    source[count] = wanted;
    return count++;
  }
};

/// Nothing when samples have too many sources.
std::optional<Choices> find_choices(std::span<const std::uint32_t> sources, std::size_t n, std::size_t threads) {
  const std::size_t lanes = sources.size() / n;
  std::vector<Seen> seen(n);
  std::vector<std::uint8_t> number(lanes * n);  // [sample][lane]
  std::atomic<bool> too_many = false;
  constexpr std::size_t tile = 32;
  parallel_for((n + tile - 1) / tile, 4, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t begin = first * tile; begin < std::min(n, last * tile) && !too_many; begin += tile)
      for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t j = begin; j < std::min(n, begin + tile); ++j) {
          const std::size_t c = seen[j].number(sources[l * n + j]);
          if (c == most_choices) too_many = true;
          number[j * lanes + l] = static_cast<std::uint8_t>(c);
        }
  });
  if (too_many) return std::nullopt;

  Choices choices;
  choices.first.assign(1, 0);
  for (const Seen& s : seen) {
    choices.source.insert(choices.source.end(), s.source.begin(),
                          s.source.begin() + static_cast<std::ptrdiff_t>(s.count));
    choices.first.push_back(static_cast<std::uint32_t>(choices.source.size()));
    choices.most = std::max(choices.most, s.count);
  }
  if (choices.mean() > most_on_average) return std::nullopt;
  choices.batches = (lanes + slice_lanes - 1) / slice_lanes;
  choices.masks.assign(choices.batches * choices.source.size() * slice_words, 0);
  parallel_for(n, 256, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j)
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t choice = choices.first[j] + number[j * lanes + l];
        choices.masks[((l / slice_lanes) * choices.source.size() + choice) * slice_words + l % slice_lanes / 64] |=
            std::uint64_t{1} << (l % 64);
      }
  });
  return choices;
}

class SliceEngine final : public StatisticEngine {
 public:
  SliceEngine(const StatisticProblem& problem, std::size_t threads, std::size_t least_lanes)
      : problem_(problem),
        threads_(threads),
        least_lanes_(least_lanes),
        fixed_(problem),
        reach_(problem.sample.n * problem.ks.size()) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const bool enough = sources.size() / fixed_.n >= least_lanes_;
    const std::optional<Choices> choices = enough ? find_choices(sources, fixed_.n, threads_) : std::nullopt;
    if (!choices) {
      if (!lanes_) lanes_ = make_lane_engine(problem_, threads_);
      return lanes_->evaluate(sources, sums);
    }
    const std::vector<std::int32_t> x = x_of(*choices);
    const SliceTask task{&problem_, &fixed_, &*choices, sources, x, reach_};
    std::fill(sums.begin(), sums.end(), StatisticSum{});
    std::mutex mutex;
    parallel_for(fixed_.n, 64, threads_, [&](std::size_t begin, std::size_t end) {
      std::vector<StatisticSum> mine(sums.size());
      add_slice_terms(task, begin, end, mine.data());
      const std::lock_guard lock(mutex);
      for (std::size_t s = 0; s < sums.size(); ++s) {
        sums[s].terms += mine[s].terms;
        sums[s].samples += mine[s].samples;
      }
    });
  }

 private:
  std::vector<std::int32_t> x_of(const Choices& choices) const {
    const auto& columns = problem_.sample.x.columns;
    std::vector<std::int32_t> x(columns.size() * choices.most * fixed_.n, SliceTask::far);
    for (std::size_t d = 0; d < columns.size(); ++d)
      for (std::size_t j = 0; j < fixed_.n; ++j)
        for (std::uint32_t c = choices.first[j]; c < choices.first[j + 1]; ++c)
          x[(d * choices.most + c - choices.first[j]) * fixed_.n + j] = problem_.x_at(d, j, choices.source[c]);
    return x;
  }

  const StatisticProblem& problem_;
  std::size_t threads_, least_lanes_;
  FixedSide fixed_;
  std::vector<std::int32_t> reach_;
  std::unique_ptr<StatisticEngine> lanes_;
};

}  // namespace

bool slice_engine_fits(const StatisticProblem& problem) {
  const LatticeBlock& x = problem.sample.x;
  return problem.conditioned && !problem.closed && !x.columns.empty() && x.category.empty();
}

std::unique_ptr<StatisticEngine> make_slice_engine(const StatisticProblem& problem, std::size_t threads,
                                                   std::size_t least_lanes) {
  return std::make_unique<SliceEngine>(problem, threads, least_lanes);
}

}  // namespace macmi
