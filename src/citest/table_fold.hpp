#pragma once
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/fixed_psi.hpp"
#include "citest/engines/tables/pooled_trace.hpp"
#include "citest/engines/tables/stratified_table.hpp"
#include "citest/engines/tables/table_draw.hpp"
#include "citest/fold.hpp"
#include "citest/null/residual_correlation.hpp"

namespace macmi::citest {

/// A fold of categories alone: the contingency test. The statistic is the plug-in information of the table; the null
/// distribution is that of tables with the same margins in every stratum of z, which are drawn as such. The widest look
/// sums the table over the strata (PooledTrace), which is what sees a dependence that many small strata share.
class TableFold final : public Fold {
 public:
  TableFold(const knn::JointSample& sample, WideLook wide, std::size_t threads, const base::StreamKey& stream);

  std::size_t samples() const override { return n_; }
  std::size_t alone() const override { return 0; }
  bool constant() const override { return constant_; }
  bool on_lattice() const override { return true; }
  const std::vector<std::size_t>& ks() const override { return ks_; }
  std::size_t directions() const override { return wide_ ? wide_->directions() : 0; }
  std::vector<double> exact_statistics() const override { return {information_}; }
  std::vector<double> observed() override { return observed_; }
  std::vector<double> permuted(std::uint64_t first, std::size_t count) override { return drawn(first, count); }
  std::vector<double> observed_correlation() const override { return {observed_.back()}; }
  std::vector<double> permuted_correlations(std::size_t count) const override;

 private:
  std::size_t scales() const { return ks_.size() + (wide_ ? 1 : 0); }
  std::vector<double> drawn(std::uint64_t first, std::size_t count) const;
  /// Writes the scales of a table: the sum of m ln m over its cells, and its pooled counts.
  void evaluate(std::int64_t cells, std::span<const std::uint32_t> pooled, double* scales) const;

  std::size_t n_, threads_;
  bool constant_;
  base::StreamKey stream_;
  std::vector<std::size_t> ks_ = {0};
  double information_;
  StratifiedTable table_;
  TableDraws draws_;
  FixedPsi log_;
  std::vector<std::int64_t> weighted_;  ///< m ln m, in units of FixedPsi
  std::int64_t margins_ = 0;            ///< the margins' share of the information
  WideLook look_;
  std::optional<PooledTrace> wide_;
  std::vector<double> observed_;
};

}  // namespace macmi::citest
