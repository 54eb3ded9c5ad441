#pragma once
#include <cstddef>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::predict {

/// The scale on which polynomials of a column are taken.
enum class ColumnScale {
  as_given,      ///< mean 0, standard deviation 1, values beyond five of them drawn in
  normal_scores  ///< ranks as quantiles of the normal distribution
};

/// A predictor's input: numbers of mean 0 and standard deviation 1, and a centred column of zeros and ones for each
/// frequent category.
struct Design {
  std::size_t samples = 0;
  std::vector<std::vector<double>> columns;
  std::vector<bool> indicator;  ///< of a category: its powers say nothing new
  std::size_t sources = 0;      ///< variables that the columns are of

  /// Sums of the columns, with products of two where `products`, follow every function of what the columns tell: those
  /// of one category, and products of two.
  bool saturated(bool products) const;
};

/// Constant columns are left out. A missing number (NaN) stands at the mean, and another column tells that it was.
Design make_design(const Variable& variable, ColumnScale scale);
/// The columns of both.
Design joined(const Design& first, const Design& second);

}  // namespace macmi::predict
