#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/statistic.hpp"
#include "cmi/prepare.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The k-NN information of x and y with nothing given, under any exchange of x: what sees dependence of any kind.
class NeighbourLook {
 public:
  /// `rearranges`: every source gives its value once.
  NeighbourLook(const Variable& x, const Variable& y, const TestOptions& options, bool rearranges,
                const base::StreamKey& stream);

  /// The number of neighbours of each scale; 0 for a table of categories.
  std::vector<std::size_t> ks() const;
  TieRule ties() const { return prepared_.ties; }
  std::size_t centres() const { return problem_.centre_count(); }
  /// Element [b * ks + q]: of the samples as they are, and as `sources` exchange them, one permutation after the other.
  std::vector<double> observed();
  std::vector<double> permuted(std::span<const std::uint32_t> sources);

 private:
  std::vector<double> evaluated(std::span<const std::uint32_t> sources, std::size_t permutations);

  estimation::PreparedSample prepared_;
  StatisticProblem problem_;
  std::vector<std::uint32_t> place_;  ///< of each sample in the problem
  std::unique_ptr<StatisticEngine> engine_;
};

}  // namespace macmi::citest
