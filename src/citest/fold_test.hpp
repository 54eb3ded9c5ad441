#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/statistic.hpp"
#include "citest/fold.hpp"
#include "citest/null/residual_correlation.hpp"
#include "citest/permutation/block_permutation.hpp"
#include "citest/permutation/local_permutation.hpp"
#include "cmi/prepare.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

class SharedNull;

/// Asks for the residual correlation as well. A score of the samples may take the place of the
/// variable that is not permuted, or of the one that is; without one the variables themselves are correlated.
struct Correlate {
  WideLook look = WideLook::none;
  bool score_of_fixed = false;
  std::vector<double> score = {};
  /// Parameters that x and y have already been freed of: remainders correlate by chance as fewer samples would.
  std::size_t fitted = 0;
};

/// A fold of samples with numbers among them: neighbours and local permutations, for every k.
class FoldTest final : public Fold {
 public:
  /// x is the variable that is permuted. `ties` is resolved. The k of `auto` are those of the smallest fold, so that
  /// all folds have the same.
  FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, TieRule ties,
           const Correlate& correlate, const base::StreamKey& stream, std::size_t smallest_fold = 0);

  std::size_t samples() const override { return n_; }
  std::size_t near_rows() const override { return problem_.sample.n; }
  std::size_t centres() const override { return problem_.centre_count(); }
  std::size_t alone() const override { return problem_.only_categories() ? 0 : alone_; }
  bool constant() const override { return constant_; }
  bool on_lattice() const override { return on_lattice_; }
  double left_of_permuted() const override { return left_of_x_; }
  double left_of_fixed() const override { return left_of_y_; }
  const std::vector<std::size_t>& ks() const override { return problem_.ks; }
  std::size_t directions() const override { return correlation_ ? correlation_->directions() : 0; }

  std::vector<double> exact_statistics() const override;
  std::vector<double> observed() override;
  /// No engine is made for the correlation alone.
  std::vector<double> observed_correlation() const override;
  std::vector<double> permuted_correlations(std::size_t count) const override;
  std::vector<double> permuted(std::uint64_t first, std::size_t count) override;

  /// From now on permuted() asks `null`, which must be that of x and y of these kinds.
  void share(std::shared_ptr<SharedNull> null) { shared_ = std::move(null); }
  bool looks_wide() const { return correlation_.has_value(); }

 private:
  FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
           const base::StreamKey& stream, TieRule ties, const Correlate& correlate, estimation::PreparedSample prepared,
           std::size_t smallest_fold);
  /// Permutations and what they give: the statistics at the centres, and the correlations.
  struct Draws {
    std::vector<std::uint32_t> sources;
    std::vector<StatisticSum> sums;
    std::vector<double> wide;
  };
  double nats(const StatisticSum& sum) const;
  static std::vector<std::uint32_t> as_they_are(std::size_t count);
  std::vector<std::uint32_t> draw(std::uint64_t first, std::size_t count) const;
  std::vector<double> correlations(std::uint64_t first, std::span<const std::uint32_t> sources) const;
  /// With what is missing of them; `first` is the number of the first one.
  Draws evaluated(Draws draws, std::uint64_t first);
  void make_engines();

  Variable x_, y_, z_;
  EstimateOptions estimate_;
  std::size_t threads_, alone_;
  bool constant_, on_lattice_;
  double left_of_x_ = 1, left_of_y_ = 1;
  base::StreamKey stream_;
  std::size_t n_;
  knn::JointSample exact_;  ///< the samples with neighbourhoods, which come first; empty once a lattice stands for them
  StatisticProblem problem_;
  std::vector<std::vector<double>> trend_;  ///< until the engines take it
  LocalPermutations permutations_;
  std::optional<BlockPermutations> others_;  ///< of the samples without neighbourhoods among themselves
  std::optional<ResidualCorrelation> correlation_;
  std::unique_ptr<StatisticEngine> engine_, observed_;
  std::vector<double> at_centres_;  ///< the observed statistics
  mutable Draws first_;             ///< the first permutations, as far as an earlier question needed them
  std::shared_ptr<SharedNull> shared_;
  double shrink_correlation_ = 1;
};

}  // namespace macmi::citest
