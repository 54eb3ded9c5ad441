#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::evaluate {

/// Scores of samples of two classes; larger scores should mean class 1.
struct Scored {
  std::vector<double> score;
  std::vector<std::uint8_t> positive;
};

/// The share of (positive, negative) pairs in the right order, ties half (Mann & Whitney 1947). NaN without pairs.
double area_under_roc(const Scored& scored);

/// Σ (recall step) · precision over the thresholds from the highest score down, equal scores taken together. NaN
/// without positives.
double average_precision(const Scored& scored);

/// Points (false positive rate, true positive rate) of the ROC curve from (0, 0) to (1, 1), one per distinct score.
struct RocPoint {
  double false_positive = 0, true_positive = 0;
};
std::vector<RocPoint> roc_curve(const Scored& scored);

/// Ranks within each group scaled to (0, 1), ties sharing their mean: scores of different models become comparable.
std::vector<double> ranks_within(std::span<const double> score, std::span<const std::int32_t> group);

}  // namespace macmi::evaluate
