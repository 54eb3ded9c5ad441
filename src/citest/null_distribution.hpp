#pragma once
#include <cstddef>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi {

/// Permuted statistics beside the observed one, for one or several k ("scales"). With several, the test statistic is
/// the maximum over k of (T_k - mean_k) / sd_k with mean and sd of the first 64 permutations: fixed from then on, so
/// that the ranks of observed and permuted maxima do not move while more permutations come, and stopping rules apply
/// as they do to a single k.
class NullDistribution {
 public:
  NullDistribution(std::vector<double> observed, std::size_t scales);

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
  double sd(std::size_t scale) const;
  /// Observed minus the mean of the permuted.
  double effect(std::size_t scale) const;
  double z_score(std::size_t scale) const;
  /// The k with the largest z score.
  std::size_t best_scale() const;

 private:
  double score(const double* statistics) const;
  void standardise(std::size_t count);

  std::vector<double> observed_;
  std::vector<double> statistics_;
  NullTrace trace_;                      ///< its centre and spread are empty until standardised
  std::vector<double> sum_, squares_;    ///< of the differences to the observed value
  std::size_t looked_ = 0, exceedances_ = 0, restored_ = 0;
};

}  // namespace macmi
