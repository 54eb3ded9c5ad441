#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "knn/sample.hpp"
#include "macmi/estimate.hpp"
#include "macmi/variable.hpp"

namespace macmi::estimation {

/// x, y, z as the neighbour searches want them: checked, constant columns dropped, scaled. No sample is left out: a
/// choice that looks at x and y together would itself make them dependent.
struct PreparedSample {
  knn::JointSample sample;
  std::vector<std::size_t> rows;                ///< where each sample stands in the variables
  std::size_t alone = 0;                        ///< samples whose combination of categories no other sample has
  bool x_constant = false, y_constant = false;  ///< then the information is 0
  bool conditioned = false;                     ///< z is there and varies
  TieRule ties = TieRule::continuous;           ///< resolved
  std::string ties_reason;
};

/// Throws InputError: different lengths, no columns, NaN or infinity, too few samples.
PreparedSample prepare(const Variable& x, const Variable& y, const Variable& z, const EstimateOptions& options);

/// Scales the columns of one variable in place (Transform's documentation). Constant columns become 0. Safe from
/// overflow and underflow for any finite values whose range is finite.
void apply_transform(std::vector<std::vector<double>>& columns, Transform transform);

/// The share of samples whose value occurs more than once.
double share_of_repeated_values(std::vector<double> values);

}  // namespace macmi::estimation
