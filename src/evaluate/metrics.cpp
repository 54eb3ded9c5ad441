#include "evaluate/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace macmi::evaluate {
namespace {

/// Positives and negatives with one score.
struct Step {
  double positives = 0, negatives = 0;
};

/// From the highest score down.
std::vector<Step> steps_of(const Scored& s) {
  std::vector<std::size_t> order(s.score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.score[a] > s.score[b]; });
  std::vector<Step> steps;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || s.score[order[i]] != s.score[order[i - 1]]) steps.emplace_back();
    (s.positive[order[i]] != 0 ? steps.back().positives : steps.back().negatives) += 1;
  }
  return steps;
}

Step totals(const std::vector<Step>& steps) {
  Step all;
  for (const Step& step : steps) all.positives += step.positives, all.negatives += step.negatives;
  return all;
}

}  // namespace

double area_under_roc(const Scored& scored) {
  const std::vector<Step> steps = steps_of(scored);
  const Step all = totals(steps);
  double above = 0, right = 0;
  for (const Step& step : steps) {
    right += step.negatives * (above + step.positives / 2);
    above += step.positives;
  }
  return all.positives * all.negatives > 0 ? right / (all.positives * all.negatives) : std::nan("");
}

double average_precision(const Scored& scored) {
  const std::vector<Step> steps = steps_of(scored);
  const Step all = totals(steps);
  double found = 0, taken = 0, sum = 0;
  for (const Step& step : steps) {
    found += step.positives;
    taken += step.positives + step.negatives;
    sum += step.positives * found / taken;
  }
  return all.positives > 0 ? sum / all.positives : std::nan("");
}

std::vector<RocPoint> roc_curve(const Scored& scored) {
  const std::vector<Step> steps = steps_of(scored);
  const Step all = totals(steps);
  std::vector<RocPoint> curve = {{0, 0}};
  Step so_far;
  for (const Step& step : steps) {
    so_far.positives += step.positives;
    so_far.negatives += step.negatives;
    curve.push_back({so_far.negatives / std::max(1.0, all.negatives), so_far.positives / std::max(1.0, all.positives)});
  }
  return curve;
}

std::vector<double> ranks_within(std::span<const double> score, std::span<const std::int32_t> group) {
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return group[a] != group[b] ? group[a] < group[b] : score[a] < score[b];
  });
  std::vector<double> ranks(score.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && group[order[end]] == group[order[begin]]) ++end;
    const double size = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end;) {
      std::size_t tied = i;
      while (tied < end && score[order[tied]] == score[order[i]]) ++tied;
      for (std::size_t t = i; t < tied; ++t)
        ranks[order[t]] = (static_cast<double>(i + tied - 1) / 2 - static_cast<double>(begin) + 0.5) / size;
      i = tied;
    }
    begin = end;
  }
  return ranks;
}

}  // namespace macmi::evaluate
