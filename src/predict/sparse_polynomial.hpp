#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/design.hpp"
#include "predict/loss.hpp"

namespace macmi::predict {

/// A polynomial of a few terms out of all columns, squares and products of two: round after round those join that
/// explain most of what is left, and all coefficients are fitted anew (matching pursuit: Pati et al. 1993). For designs
/// of so many columns that a penalised fit of all products would cost more than it finds.
class SparsePolynomial {
 public:
  static constexpr std::size_t most_rounds = 12, terms_a_round = 2;
  /// Learns from these rows. The design and the loss must outlive it.
  SparsePolynomial(const Design& design, const Loss& loss, std::vector<std::uint32_t> rows);

  void add_round();
  /// Scores [sample, output] of all samples.
  const Eigen::MatrixXd& scores() const { return scores_; }

 private:
  /// A column, or the product of two.
  struct Term {
    std::int32_t a = 0, b = -1;
    bool operator==(const Term&) const = default;
  };
  double value(const Term& term, std::size_t sample) const;
  /// Means and sums of squared deviations of all candidates on the rows.
  void measure_candidates();
  std::vector<Term> strongest() const;

  const Design& design_;
  const Loss& loss_;
  std::vector<std::uint32_t> rows_;
  std::vector<Term> candidates_, terms_;
  std::vector<double> mean_, spread_;  ///< of each candidate
  Eigen::MatrixXd own_;                ///< [row, column] of the design: the rows it learns from
  Eigen::MatrixXd values_;             ///< [sample, term], the first of them 1
  Eigen::MatrixXd scores_;
};

}  // namespace macmi::predict
