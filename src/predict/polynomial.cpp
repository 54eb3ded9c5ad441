#include "predict/polynomial.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace macmi::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t samples_a_term = 12, most_terms = 120, most_columns = 400;
constexpr double longest_step = 4;  // of a score in one iteration: what is further off is reached by the next ones
/// A longest step below it ends the fit: Newton's next step would be of its square, those of bounded curvature slow
/// down.
constexpr double settled = 1e-4, settled_by_bound = 1e-6;

/// To mean 0 and standard deviation 1; nothing for a constant.
void add_term(VectorXd term, std::vector<VectorXd>& all) {
  term.array() -= term.mean();
  const double scale = std::sqrt(term.squaredNorm() / static_cast<double>(term.size()));
  if (scale > 1e-9) all.push_back(term / scale);
}

}  // namespace

Polynomials::Polynomials(const Design& design) {
  const auto n = static_cast<Index>(design.samples);
  const std::size_t p = design.columns.size();
  const std::size_t room = std::min(design.samples / samples_a_term, most_terms);
  std::vector<VectorXd> all{VectorXd::Ones(n)};
  complete_ = p * (p + 5) / 2 <= room;  // the largest set there is
  const auto column = [&](std::size_t c) { return Eigen::Map<const VectorXd>(design.columns[c].data(), n); };
  if (p > 0 && p <= most_columns) {
    const auto numbers = static_cast<std::size_t>(std::count(design.indicator.begin(), design.indicator.end(), false));
    for (std::size_t c = 0; c < p; ++c) all.emplace_back(column(c));
    sets_.push_back(static_cast<Index>(all.size()));
    const auto offer = [&](std::size_t more, const auto& add) {
      if (more == 0 || all.size() - 1 + more > room) return;
      add();
      sets_.push_back(static_cast<Index>(all.size()));
    };
    const auto powers = [&](int power) {
      for (std::size_t c = 0; c < p; ++c)
        if (!design.indicator[c]) add_term(column(c).array().pow(power).matrix(), all);
    };
    offer(numbers, [&] { powers(2); });
    offer(p * (p - 1) / 2, [&] {
      for (std::size_t a = 0; a < p; ++a)
        for (std::size_t b = a + 1; b < p; ++b) add_term(column(a).cwiseProduct(column(b)), all);
    });
    offer(2 * numbers, [&] { powers(3), powers(4); });
  }
  terms_.resize(n, static_cast<Index>(all.size()));
  for (std::size_t t = 0; t < all.size(); ++t) terms_.col(static_cast<Index>(t)) = all[t];
}

MatrixXd fit_terms(const MatrixXd& part, const Loss& loss, std::span<const std::uint32_t> rows, double penalty,
                   const MatrixXd& known) {
  const Index n = part.rows(), terms = part.cols(), outputs = static_cast<Index>(loss.outputs());
  VectorXd ridge = VectorXd::Constant(terms, penalty);
  ridge[0] = 1e-6;  // the constant is free
  MatrixXd coefficients = MatrixXd::Zero(terms, outputs);
  if (known.size() > 0) {
    const Index both = std::min(terms, known.rows());
    coefficients.topRows(both) = known.topRows(both);
  } else {
    const std::vector<double> start = loss.constant(rows);
    for (Index k = 0; k < outputs; ++k) coefficients(0, k) = start[static_cast<std::size_t>(k)];
  }
  const double bound = loss.largest_curvature();
  // One triangle of Σ weight · term · termᵀ: the solver reads no other.
  MatrixXd gram(terms, terms), weighted(n, terms);
  Eigen::LLT<MatrixXd> solver;
  const auto prepare_solver = [&](const VectorXd& weights) {
    weighted.noalias() = weights.cwiseSqrt().asDiagonal() * part;
    gram.setZero();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    gram.diagonal() += ridge;
    solver.compute(gram);
  };
  if (bound > 0) prepare_solver(VectorXd::Constant(n, bound));
  using ByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // the scores of a row together
  ByRow scores = part * coefficients, downhill(n, outputs);
  VectorXd curvature(n), of_outputs(outputs);
  for (std::size_t iteration = 0; iteration < loss.iterations(); ++iteration) {
    for (Index i = 0; i < n; ++i) {
      loss.steps(rows[static_cast<std::size_t>(i)], &scores(i, 0), &downhill(i, 0), of_outputs.data());
      curvature[i] = of_outputs[0];
    }
    if (bound == 0) prepare_solver(curvature);
    const MatrixXd slope = part.transpose() * downhill;
    MatrixXd step = slope - ridge.asDiagonal() * coefficients;
    step.row(0) = slope.row(0);
    step = solver.solve(step);
    ByRow change = part * step;
    const double longest = change.size() > 0 ? change.cwiseAbs().maxCoeff() : 0;
    if (loss.iterations() > 1 && longest > longest_step) {
      step *= longest_step / longest;
      change *= longest_step / longest;
    }
    coefficients += step;
    scores += change;
    if (longest < (bound == 0 ? settled : settled_by_bound)) break;
  }
  return coefficients;
}

MatrixXd Polynomials::fit(const Loss& loss, std::span<const std::uint32_t> rows, Index terms, double penalty,
                          const MatrixXd& known) const {
  MatrixXd part(static_cast<Index>(rows.size()), terms);
  for (Index i = 0; i < part.rows(); ++i) part.row(i) = terms_.row(rows[static_cast<std::size_t>(i)]).head(terms);
  return fit_terms(part, loss, rows, penalty, known);
}

MatrixXd Polynomials::scores(const MatrixXd& coefficients) const {
  return terms_.leftCols(coefficients.rows()) * coefficients;
}

}  // namespace macmi::predict
