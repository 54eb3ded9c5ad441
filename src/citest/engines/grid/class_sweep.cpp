#include "citest/engines/grid/class_sweep.hpp"

#include "citest/engines/engine_sums.hpp"

namespace macmi::citest {
namespace {

/// The terms of one class, whose x come in increasing order. Its samples are infinitely far from all others, so that
/// neighbours are neighbours along x (Ross, 2014). From one sample to the next x ± radius never moves back: the
/// distance to the k-th neighbour changes by no more than x does.
StatisticSum class_terms(const ClassTask& task, std::span<const std::int32_t> x, std::size_t k_wanted) {
  const StatisticProblem& p = *task.problem;
  const std::size_t size = x.size(), k = std::min(k_wanted, size - 1), self = p.closed ? 1 : 0;
  StatisticSum sum;
  if (k == 0) return sum;
  std::size_t window = 0, begin = 0, end = 0;  // k + 1 nearest from `window`; [begin, end) within the radius
  std::int64_t term = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int32_t v = x[i];
    if (i > 0 && v == x[i - 1]) {  // equal values have equal terms, and may be most of a class
      sum.terms += term;
      continue;
    }
    while (window + k + 1 < size && x[window + k + 1] - v < v - x[window]) ++window;
    const std::int32_t radius = std::max(v - x[window], x[window + k] - v);
    const std::int32_t limit = p.closed ? radius : std::max(radius - 1, 0);
    std::size_t inside = k;
    if (p.closed) {
      while (v - x[begin] > radius) ++begin;
      while (end < size && x[end] - v <= radius) ++end;
      inside = end - begin - 1;
    }
    term = p.psi[inside] - p.psi[task.x.below(v + limit + 1) - task.x.below(v - limit) - self];
    sum.terms += term;
  }
  sum.terms += static_cast<std::int64_t>(size) * (p.psi[p.sample.n] - p.psi[size - self]);
  return sum;
}

}  // namespace

ClassTask::ClassTask(const StatisticProblem& statistic)
    : problem(&statistic),
      x(statistic.sample.x.columns[0]),
      x_rank(inverse(ranking(statistic.sample.x.columns[0]))),
      y_class(numbered(statistic.sample.y.category)),
      first(*std::max_element(y_class.begin(), y_class.end()) + 2) {
  for (const std::uint32_t c : y_class) ++first[c + 1];
  for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
}

void evaluate_by_class(const ClassTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) {
  const std::size_t n = task.problem->sample.n, scales = task.problem->ks.size();
  std::vector<std::uint32_t> class_at(n), next;
  std::vector<std::int32_t> x(n);
  for (std::size_t lane = 0; lane * n < sources.size(); ++lane) {
    for (std::size_t i = 0; i < n; ++i) class_at[task.x_rank[sources[lane * n + i]]] = task.y_class[i];
    next = task.first;
    for (std::size_t r = 0; r < n; ++r) x[next[class_at[r]]++] = task.x[r];
    for (std::size_t c = 0; c + 1 < task.first.size(); ++c)
      for (std::size_t q = 0; q < scales; ++q) {
        const auto members = std::span(x).subspan(task.first[c], task.first[c + 1] - task.first[c]);
        const StatisticSum terms = class_terms(task, members, task.problem->ks[q]);
        sums[lane * scales + q].terms += terms.terms;
      }
  }
}

}  // namespace macmi::citest
