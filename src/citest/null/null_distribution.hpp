#pragma once
#include <cstddef>
#include <vector>

#include "citest/null/fitted_tail.hpp"
#include "citest/null/wide_look.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// Bins of a null's histogram, laid out once the first permutations tell where it is: so many spreads to either side.
inline constexpr std::size_t histogram_bins = 48;
inline constexpr double histogram_reach = 6;

/// Permuted statistics beside the observed one, for one or several k ("scales"). With several, the test statistic is
/// log Σ_k exp z_k, where z_k = (T_k - mean_k) / sd_k with mean and sd of the first 64 permutations: fixed from then
/// on, so that ranks do not move while more permutations come, and stopping rules apply as they do to a single k. It is
/// a soft maximum: where several k see something it takes all of them.
/// The last scale may be a wide look. A correlation counts to either side (2 cosh z); as information (of Gaussians with
/// that correlation) it is a scale like the others. So is a trace: see effect().
class NullDistribution {
 public:
  NullDistribution(std::vector<double> observed, std::size_t scales, WideScale last = {});

  /// Appends permutations; element [b * scales + q].
  void add(const std::vector<double>& statistics);
  /// Makes the first `count` permutations the ones that the functions below speak of; count never decreases.
  void look(std::size_t count);

  /// Takes up the first `looks` looks of an earlier distribution of the same test, in place of drawing them.
  void restore(const NullTrace& earlier, std::size_t looks);
  /// Every look so far.
  const NullTrace& trace() const { return trace_; }

  std::size_t looked() const { return looked_; }
  std::size_t exceedances() const { return exceedances_; }
  /// The chance of a permuted score as large as the observed one, by a curve fitted to all scores so far. `counts`: the
  /// statistic is that of a contingency table. Between 64 permutations and infinitely many it is what p-values below
  /// 1/(B + 1) come from.
  FittedTail tail(bool counts) const;
  /// The same for the wide look alone, the only scale.
  FittedTail wide_tail() const;
  /// The deviation of the permuted, nats; that of a correlation is scaled so that effect / sd is its z score.
  double sd(std::size_t scale) const;
  /// Observed minus the mean of the permuted, nats. A trace V of s directions that exceeds the null's mean by d counts
  /// as -s/2 log(1 - d/s): the least information of Gaussians whose squared canonical correlations add up to d.
  double effect(std::size_t scale) const;
  double z_score(std::size_t scale) const;
  /// The permuted statistics minus the observed one, in equal bins; the outermost hold all that is beyond.
  NullHistogram histogram(std::size_t scale) const;
  /// The k with the largest z score.
  std::size_t best_scale() const;

 private:
  bool is_last(WideLook look, std::size_t scale) const { return last_.look == look && scale + 1 == sum_.size(); }
  bool is_correlation(std::size_t scale) const { return is_last(WideLook::correlation, scale); }
  double excess_of_trace(std::size_t scale) const;
  FittedTail look_tail(std::size_t scale, double skewness) const;
  /// In the units of the statistic, whatever they are.
  double raw_effect(std::size_t scale) const;
  double raw_sd(std::size_t scale) const;
  double score(const double* statistics) const;
  double standard(double score) const;
  void standardise(std::size_t count);
  double bin_width(std::size_t scale) const;
  void count_bins(std::size_t from, std::size_t to);

  std::vector<double> observed_;
  std::vector<double> statistics_;
  NullTrace trace_;                    ///< its centre and spread are empty until standardised
  std::vector<double> sum_, squares_;  ///< of the differences to the observed value
  WideScale last_;
  std::size_t looked_ = 0, exceedances_ = 0, restored_ = 0;
};

}  // namespace macmi::citest
