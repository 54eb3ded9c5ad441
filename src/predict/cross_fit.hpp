#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "predict/design.hpp"
#include "predict/loss.hpp"

namespace macmi::predict {

/// Parts of the samples. What is said of a sample is learned from the other parts.
struct Parts {
  std::vector<std::vector<std::uint32_t>> inside, outside;  ///< rows of each part, and all others

  /// Equal parts; with `classes` of every class; samples of one `unit` stay together.
  static Parts draw(std::size_t samples, std::size_t count, const std::vector<std::int32_t>& classes,
                    const std::vector<std::int32_t>& units, std::uint64_t seed);
};

/// The settings that cross-validation chooses.
struct FitChoice {
  std::size_t terms = 0;   ///< of the polynomial, with the constant; 0: a constant alone
  double penalty = 10;     ///< on its squared coefficients
  std::size_t rounds = 0;  ///< of a sparse polynomial, which then takes the other's place
  std::size_t trees = 0;   ///< added to it
};

/// Scores of all samples by predictors that have not seen them.
struct CrossFit {
  std::vector<double> scores;  ///< [sample * outputs + output]
  std::vector<double> losses;  ///< of each sample, nats
  bool constant = true;        ///< nothing predicts better than the best constant
  FitChoice choice;
};

/// Polynomials, and boosted trees on top of them where these predict the samples kept from them better beyond doubt.
/// Where there are too many columns for all of their products, a few of these may be chosen (SparsePolynomial).
/// All parts together decide on the polynomials, the penalty and the number of trees.
/// `always_sparse`: few terms are tried beside all products, too; slower.
CrossFit cross_fit(const Loss& loss, const Design& design, const Parts& parts, bool always_sparse = false);

/// Scores of all samples, [sample * outputs + output], by one predictor learned from these rows.
std::vector<double> fit_on(const Loss& loss, const Design& design, const std::vector<std::uint32_t>& rows,
                           const FitChoice& choice);

}  // namespace macmi::predict
