#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/statistic.hpp"
#include "citest/null/residual_correlation.hpp"
#include "citest/permutation/local_permutation.hpp"
#include "cmi/prepare.hpp"
#include "macmi/ci_test.hpp"

namespace macmi {

/// Whether to look at the residual correlation as well, and with which score of the samples in the place of the
/// variable that is not permuted, or of the one that is; none: the variables themselves.
struct Correlate {
  bool wanted = false;
  bool score_of_fixed = false;
  std::vector<double> score = {};
};

/// The samples of one fold, whose neighbours and permutations are its own: the observed statistic and the permuted
/// ones, for every k. A test without folds has one.
class FoldTest {
 public:
  /// x is the variable that is permuted. `ties` is resolved. The k of `auto` are those of the smallest fold, so that
  /// all folds have the same.
  FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, TieRule ties,
           const Correlate& correlate, const StreamKey& stream, std::size_t smallest_fold = 0);
  FoldTest(const FoldTest&) = delete;
  FoldTest& operator=(const FoldTest&) = delete;

  std::size_t samples() const { return problem_.sample.n; }
  std::size_t alone() const { return alone_; }
  /// Samples at which neighbourhoods are looked at.
  std::size_t centres() const { return problem_.centre_count(); }
  bool only_categories() const { return problem_.only_categories(); }
  bool constant() const { return constant_; }
  bool on_lattice() const { return on_lattice_; }
  /// Shares of the variance of x and of y that a regression on z leaves.
  double left_of_permuted() const { return left_of_x_; }
  double left_of_fixed() const { return left_of_y_; }
  const std::vector<std::size_t>& ks() const { return problem_.ks; }

  /// The exact statistic, as estimate_cmi gives it, for each k; at the centres, where these are fewer than the samples.
  std::vector<double> exact_statistics() const;
  /// What permuted statistics are to be compared with, for each k; then the correlation, if there is one.
  std::vector<double> observed();
  /// The residual correlation alone, and that of the first permutations; no engine is made for them.
  std::vector<double> observed_correlation() const;
  std::vector<double> permuted_correlations(std::size_t count) const;
  /// Permutations first … first + count - 1, each as observed().
  std::vector<double> permuted(std::uint64_t first, std::size_t count);

 private:
  FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, const StreamKey& stream,
           TieRule ties, const Correlate& correlate, PreparedSample prepared, std::size_t smallest_fold);
  double nats(const StatisticSum& sum) const;
  std::vector<std::uint32_t> as_they_are() const;
  std::vector<std::uint32_t> draw(std::uint64_t first, std::size_t count) const;
  void make_engines();

  Variable x_, y_, z_;
  EstimateOptions estimate_;
  std::size_t threads_, alone_;
  bool constant_, on_lattice_;
  double left_of_x_ = 1, left_of_y_ = 1;
  StreamKey stream_;
  StatisticProblem problem_;
  JointSample exact_;                       ///< until the engines take it, where no lattice resolves it
  std::vector<std::vector<double>> trend_;  ///< likewise
  LocalPermutations permutations_;
  std::optional<ResidualCorrelation> correlation_;
  std::unique_ptr<StatisticEngine> engine_, observed_;
};

}  // namespace macmi
