#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace macmi {

/// The outcome of one test of x independent of y given z.
struct CiResult {
  double statistic = 0;  ///< nats for the k-NN test; the method's own statistic otherwise
  double effect = 0;     ///< statistic minus the null's mean: thresholds in nats apply to this
  double p_value = 1;
  std::size_t permutations = 0;  ///< used; 0 for tests without permutations
  std::size_t exceedances = 0;   ///< permutations whose statistic was at least the observed one
  double null_mean = 0;
  double null_sd = 0;
  std::size_t n = 0;               ///< samples used
  std::size_t k = 0;               ///< neighbours behind `statistic`; 0 where the method has none
  std::string rule;                ///< "continuous", "mixed" or the method's name
  std::vector<std::string> notes;  ///< what the user should know: left-out samples, warnings
};

/// Conditional independence of one target from m named features: all that the blanket search sees. It may be backed by
/// k-NN tests on raw or mapped samples, by a baseline, or by a d-separation oracle.
class TargetCiTest {
 public:
  virtual ~TargetCiTest() = default;
  virtual std::span<const std::string> features() const = 0;
  /// Feature `x` against the target given the features `given`. Thread-safe; the same bits whatever the order of calls,
  /// the order of `given` and the order of the features.
  virtual CiResult test(std::size_t x, std::span<const std::size_t> given) const = 0;
};

}  // namespace macmi
