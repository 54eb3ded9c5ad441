#pragma once
#include <string>
#include <utility>
#include <vector>

#include "experiments/reproduction.hpp"
#include "macmi/maps.hpp"
#include "run/ledger.hpp"

namespace macmi::experiments {

inline constexpr std::size_t usual_n = 2000;
inline constexpr double usual_epsilon = 0.3;

/// An estimator of the comparison.
struct BullseyeEstimator {
  const char* word;   ///< of --methods
  const char* label;  ///< in tables and figures
};

/// One data set.
struct BullseyePoint {
  double epsilon;
  std::size_t n;
  std::uint64_t seed;
};

/// The options of maps on the 2-D bullseye.
MapsOptions bullseye2d_maps(double lambda, std::uint64_t seed);

/// Everything that is measured, and how to ask for it again.
class BullseyeEstimates {
 public:
  BullseyeEstimates(const std::string& directory, const ReproduceOptions& options, const ProgressCallback& progress,
                    const ExperimentTeam* team);

  std::vector<double> values(const std::string& method, double epsilon, std::size_t n);
  run::Ledger& ledger() { return ledger_; }
  std::uint64_t seeds() const { return seeds_; }
  const std::vector<BullseyeEstimator>& methods() const { return methods_; }
  const std::vector<double>& epsilons() const { return epsilons_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  void add(double epsilon, std::size_t n);

  run::Ledger ledger_;
  std::uint64_t seeds_;
  std::vector<BullseyeEstimator> methods_;
  std::vector<double> epsilons_;
  std::vector<std::size_t> sizes_;
  std::vector<std::pair<std::string, BullseyePoint>> cells_;
};

}  // namespace macmi::experiments
