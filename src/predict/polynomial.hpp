#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/design.hpp"
#include "predict/loss.hpp"

namespace macmi::predict {

/// Coefficients [term, output] of terms [row, term], the first of them 1 and free of the penalty, fitted to these rows
/// by Newton's method from the best constant on, or from the coefficients of the first terms where these are known.
Eigen::MatrixXd fit_terms(const Eigen::MatrixXd& terms, const Loss& loss, std::span<const std::uint32_t> rows,
                          double penalty, const Eigen::MatrixXd& known = {});

/// Polynomials of the columns of a design, fitted with a penalty on their squared coefficients.
class Polynomials {
 public:
  /// Sets of terms, each the beginning of the next: numbers as they are, with squares, with products, with cubes. Those
  /// that have more terms than the samples can carry are not offered.
  explicit Polynomials(const Design& design);

  const std::vector<Eigen::Index>& sets() const { return sets_; }  ///< how many terms each has, with the constant
  bool complete() const { return complete_; }                      ///< all products are offered
  /// Coefficients [term, output] fitted to these rows (fit_terms).
  Eigen::MatrixXd fit(const Loss& loss, std::span<const std::uint32_t> rows, Eigen::Index terms, double penalty,
                      const Eigen::MatrixXd& known = {}) const;
  /// Scores [sample, output] of all samples.
  Eigen::MatrixXd scores(const Eigen::MatrixXd& coefficients) const;

 private:
  Eigen::MatrixXd terms_;  ///< [sample, term]; the first is 1
  std::vector<Eigen::Index> sets_;
  bool complete_ = false;
};

}  // namespace macmi::predict
