#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace macmi::citest {

/// The samples of one fold, whose null distribution is its own: the observed statistics and those of the null, one for
/// each look ("scale") that the test takes. A test without folds has one.
class Fold {
 public:
  Fold() = default;
  Fold(const Fold&) = delete;
  Fold& operator=(const Fold&) = delete;
  virtual ~Fold() = default;

  virtual std::size_t samples() const = 0;
  /// Samples among which neighbours are looked for, and at which of them.
  virtual std::size_t near_rows() const { return samples(); }
  virtual std::size_t centres() const { return samples(); }
  /// Shares of the variance of the permuted variable and of the other one that a regression on z leaves.
  virtual double left_of_permuted() const { return 1; }
  virtual double left_of_fixed() const { return 1; }
  /// Samples whose combination of categories no other one has, and which add nothing for that.
  virtual std::size_t alone() const = 0;
  virtual bool constant() const = 0;
  virtual bool on_lattice() const = 0;
  /// The number of neighbours of each scale but the widest; 0 where there are none (tables).
  virtual const std::vector<std::size_t>& ks() const = 0;
  /// How many canonical correlations the trace of the widest scale sums (ResidualCorrelation).
  virtual std::size_t directions() const = 0;

  /// The exact statistic, as estimate_cmi gives it, for each k; at the centres, where these are fewer than the samples.
  virtual std::vector<double> exact_statistics() const = 0;
  /// The observed statistics, to be compared with the null: one for each k, then the correlation if there is one.
  virtual std::vector<double> observed() = 0;
  /// Permutations first … first + count - 1, each as observed().
  virtual std::vector<double> permuted(std::uint64_t first, std::size_t count) = 0;
  /// The residual correlation alone, and that of the first permutations.
  virtual std::vector<double> observed_correlation() const = 0;
  virtual std::vector<double> permuted_correlations(std::size_t count) const = 0;
};

}  // namespace macmi::citest
