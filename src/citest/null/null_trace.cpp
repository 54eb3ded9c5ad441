#include "citest/null/null_trace.hpp"

#include <algorithm>
#include <cmath>

#include "citest/null/stopping.hpp"
#include "citest/remainders/remainder_test.hpp"

namespace macmi::citest {
namespace {

/// A test under these options looks at its permutations here too.
bool shared_look(const NullTrace::Look& look, const TestOptions& options) {
  return look.drawn == options.permutations || (look.drawn % look_every == 0 && look.drawn < options.permutations);
}

/// No neighbourhood is that large.
bool is_correlation(const CiScale& scale, const CiResult& result) {
  return scale.k == result.n;
}

/// The kind of look that the last scale of a test is.
WideScale wide_scale(const CiResult& result) {
  const CiScale& last = result.scales.back();
  if (!is_correlation(last, result)) return {};
  return {last.directions == 0 ? WideLook::correlation : WideLook::trace, std::max<std::size_t>(1, last.directions)};
}

/// The line of a test's trace on its last scale at the first look.
NullTrace last_scale_at_first_look(const NullTrace& trace, std::size_t scales) {
  const std::size_t last = scales - 1;
  return {{{trace.looks.front().drawn, 0}},
          {trace.sums[last]},
          {trace.squares[last]},
          {trace.centre[last]},
          {trace.spread[last]},
          trace.bins.substr(last * histogram_bins, histogram_bins),
          0,
          std::vector<double>(3)};
}

/// No permuted value this many deviations from their mean. The outermost bins hold all that is further out.
bool none_beyond(double score, const std::string& bins) {
  const auto within = static_cast<std::size_t>(score / histogram_reach * histogram_bins / 2);
  const std::string outer = bins.substr(0, histogram_bins / 2 - within) + bins.substr(histogram_bins / 2 + within);
  return outer.find_first_not_of('\0') == std::string::npos;
}

/// The result of a test that its correlation decides, where it does.
std::optional<CiResult> decide_by_correlation(const CiResult& earlier, const TestOptions& options) {
  if (!correlation_may_decide(options, earlier.conditioned) || !is_correlation(earlier.scales.back(), earlier) ||
      earlier.null.looks.front().drawn != look_every)
    return std::nullopt;
  NullDistribution correlation({}, 1, wide_scale(earlier));
  correlation.restore(last_scale_at_first_look(earlier.null, earlier.scales.size()), 1);
  if (!correlation_decides(options, correlation)) return std::nullopt;
  CiResult result = earlier;
  judge_by_correlation(correlation, earlier.scales.back().directions, result);
  return result;
}

}  // namespace

std::string reason_to_stop(const TestOptions& options, const NullDistribution& null, bool counts) {
  const std::size_t best = null.best_scale();
  const auto drawn = static_cast<double>(null.looked());
  return reason_to_stop(options,
                        {null.looked(), null.exceedances(), null.effect(best), null.sd(best) / std::sqrt(drawn),
                         options.smallest_level > 0 ? null.tail(counts) : FittedTail{}});
}

void judge(const NullDistribution& null, CiResult& result) {
  for (std::size_t q = 0; q < result.scales.size(); ++q) {
    CiScale& scale = result.scales[q];
    scale.effect = null.effect(q);
    if (is_correlation(scale, result)) scale.statistic = scale.effect;
    scale.null_sd = null.sd(q);
    scale.z_score = null.z_score(q);
  }
  const CiScale& best = result.scales[null.best_scale()];
  result.k = best.k;
  result.statistic = best.statistic;
  result.effect = best.effect;
  result.null_mean = result.statistic - result.effect;
  result.null_sd = best.null_sd;
  result.z_score = best.z_score;
  result.null_histogram = null.histogram(null.best_scale());
  result.null_histogram.low += result.statistic;
  result.null_histogram.high += result.statistic;
  result.permutations = null.looked();
  result.exceedances = null.exceedances();
  result.p_value = (1 + static_cast<double>(null.exceedances())) / (1 + static_cast<double>(null.looked()));
  result.tail_p = null.tail(result.rule == "counts").p;
}

bool correlation_may_decide(const TestOptions& options, bool conditioned) {
  return conditioned && options.stop == StopRule::fast && options.permutations > look_every &&
         1 / (1 + static_cast<double>(look_every)) <= options.alpha;  // or 64 permutations could not say so
}

bool correlation_decides(const TestOptions& options, const NullDistribution& correlation) {
  const double error = correlation.sd(0) / std::sqrt(static_cast<double>(correlation.looked()));
  return correlation.z_score(0) >= clear_score && none_beyond(clear_score, correlation.trace().bins) &&
         correlation.effect(0) - 5 * error >= options.min_cmi &&
         (options.smallest_level == 0 || correlation.wide_tail().high <= options.smallest_level);
}

void judge_by_correlation(const NullDistribution& correlation, std::size_t directions, CiResult& result) {
  result.scales = {{.k = result.n, .directions = directions}};
  result.stopped = "the correlation of what z leaves of x and y is beyond doubt";
  judge(correlation, result);
  result.tail_p = correlation.wide_tail().p;
  result.null = correlation.trace();
  result.null.observed_score = 0;  // not those of the combined looks
  result.null.score_moments.assign(3, 0.0);
}

std::size_t looks_to_restore(const NullTrace& earlier, const TestOptions& options, bool whole_blocks) {
  std::size_t looks = 0;
  // The first 64 permutations set the scale of all: a test that had fewer cannot be gone on with.
  for (std::size_t i = 0; i < earlier.looks.size(); ++i)
    if (earlier.looks[i].drawn >= look_every && earlier.looks[i].drawn < options.permutations &&
        (!whole_blocks || earlier.looks[i].drawn % look_every == 0))
      looks = i + 1;
  return looks;
}

namespace {

/// The histogram, which is not stored, from the trace, which is.
CiResult with_histogram(CiResult result) {
  if (result.null.looks.empty()) return result;
  NullDistribution null({}, result.scales.size(), wide_scale(result));
  null.restore(result.null, result.null.looks.size());
  result.null_histogram = null.histogram(null.best_scale());
  result.null_histogram.low += result.statistic;
  result.null_histogram.high += result.statistic;
  return result;
}

}  // namespace
}  // namespace macmi::citest

namespace macmi {

std::optional<CiResult> decide_again(const CiResult& earlier, const TestOptions& asked) {
  TestOptions options = asked;
  options.stop = used_stop(asked, earlier.n);
  if (!earlier.judged_by.empty())
    return citest::judged_alike(earlier.judged_by, options) ? std::optional(citest::with_histogram(earlier))
                                                            : std::nullopt;
  if (earlier.null.looks.empty()) return earlier;  // no permutations: nothing that these options could change
  if (std::optional<CiResult> clear = citest::decide_by_correlation(earlier, options)) return clear;
  if (earlier.scales.size() == 1 && citest::is_correlation(earlier.scales[0], earlier)) return std::nullopt;
  for (std::size_t i = 0; i < earlier.null.looks.size(); ++i) {
    if (!citest::shared_look(earlier.null.looks[i], options)) continue;
    citest::NullDistribution null({}, earlier.scales.size(), citest::wide_scale(earlier));
    null.restore(earlier.null, i + 1);
    std::string stopped = citest::reason_to_stop(options, null, earlier.rule == "counts");
    if (stopped.empty()) continue;
    CiResult result = earlier;
    result.stopped = std::move(stopped);
    citest::judge(null, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace macmi
