#include "predict/cross_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random.hpp"
#include "predict/polynomial.hpp"
#include "predict/sparse_polynomial.hpp"
#include "predict/tree_boosting.hpp"

namespace macmi::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Scores = std::vector<MatrixXd>;  ///< of each part's predictor for all samples, [sample, output]

constexpr double rate = 0.1;
/// Trees that may come to nothing: the first ones, and after a better one.
constexpr std::size_t most_trees = 200, first_patience = 5, patience = 12;
constexpr double beyond_doubt = 2;  // standard errors

class Fitter {
 public:
  Fitter(const Loss& loss, const Parts& parts) : loss_(loss), parts_(parts) {}

  /// Losses of all samples by the predictors that have not seen them.
  std::vector<double> losses(const Scores& scores) const {
    std::vector<double> all(loss_.samples());
    std::vector<double> own(loss_.outputs());
    for (std::size_t part = 0; part < scores.size(); ++part)
      for (const std::uint32_t i : parts_.inside[part]) {
        for (std::size_t k = 0; k < own.size(); ++k) own[k] = scores[part](i, static_cast<Index>(k));
        all[i] = loss_.value(i, own.data());
      }
    return all;
  }

  Scores constants() const {
    Scores scores;
    for (const auto& rows : parts_.outside) {
      MatrixXd& all = scores.emplace_back(static_cast<Index>(loss_.samples()), static_cast<Index>(loss_.outputs()));
      const std::vector<double> best = loss_.constant(rows);
      for (std::size_t k = 0; k < best.size(); ++k) all.col(static_cast<Index>(k)).setConstant(best[k]);
    }
    return scores;
  }

  /// `coefficients` of each part: where the fit begins, if there are any, and what it finds.
  Scores polynomials(const Polynomials& terms, Index set, double penalty, Scores& coefficients) const {
    Scores scores;
    coefficients.resize(parts_.outside.size());
    for (std::size_t part = 0; part < coefficients.size(); ++part) {
      coefficients[part] = terms.fit(loss_, parts_.outside[part], set, penalty, coefficients[part]);
      scores.push_back(terms.scores(coefficients[part]));
    }
    return scores;
  }

  /// One more tree for every part and output.
  void add_trees(const BinnedColumns& binned, Scores& scores) const {
    const std::size_t n = loss_.samples(), outputs = loss_.outputs();
    std::vector<std::vector<double>> downhill(outputs, std::vector<double>(n)), curvature = downhill;
    std::vector<double> own(outputs), g(outputs), h(outputs);
    for (std::size_t part = 0; part < scores.size(); ++part) {
      for (const std::uint32_t i : parts_.outside[part]) {
        for (std::size_t k = 0; k < outputs; ++k) own[k] = scores[part](i, static_cast<Index>(k));
        loss_.steps(i, own.data(), g.data(), h.data());
        for (std::size_t k = 0; k < outputs; ++k) downhill[k][i] = g[k], curvature[k][i] = h[k];
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        const std::vector<std::uint32_t>& rows = parts_.outside[part];
        const StepTree tree(binned, rows, downhill[k], curvature[k]);
        for (std::size_t r = 0; r < rows.size(); ++r)
          scores[part](rows[r], static_cast<Index>(k)) += rate * tree.learned_steps()[r];
        for (const std::uint32_t i : parts_.inside[part])
          scores[part](i, static_cast<Index>(k)) += rate * tree.step(binned, i);
      }
    }
  }

 private:
  const Loss& loss_;
  const Parts& parts_;
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// By how many standard errors `better` loses less.
double advantage(const std::vector<double>& better, const std::vector<double>& worse) {
  const auto n = static_cast<double>(better.size());
  const double mean = (sum(worse) - sum(better)) / n;
  double squares = 0;
  for (std::size_t i = 0; i < better.size(); ++i) squares += std::pow(worse[i] - better[i] - mean, 2);
  return squares > 0 ? mean / std::sqrt(squares) * n : 0;
}

}  // namespace

Parts Parts::draw(std::size_t samples, std::size_t count, const std::vector<std::int32_t>& classes,
                  const std::vector<std::int32_t>& units, std::uint64_t seed) {
  // Units in random order, those of one class after the other: dealt out in turn, every part gets its share.
  std::map<std::int32_t, std::vector<std::uint32_t>> rows_of;
  for (std::size_t i = 0; i < samples; ++i)
    rows_of[units.empty() ? static_cast<std::int32_t>(i) : units[i]].push_back(static_cast<std::uint32_t>(i));
  std::vector<std::pair<std::pair<std::int32_t, std::uint64_t>, const std::vector<std::uint32_t>*>> order;
  for (const auto& [unit, rows] : rows_of)
    order.push_back({{classes.empty() ? 0 : classes[rows.front()],
                      base::StreamKey(seed).with("parts").with(static_cast<std::uint64_t>(unit)).value()},
                     &rows});
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> part_of(samples);
  for (std::size_t u = 0; u < order.size(); ++u)
    for (const std::uint32_t i : *order[u].second) part_of[i] = u % count;
  Parts parts{std::vector<std::vector<std::uint32_t>>(count), std::vector<std::vector<std::uint32_t>>(count)};
  for (std::size_t i = 0; i < samples; ++i)
    for (std::size_t part = 0; part < count; ++part)
      (part == part_of[i] ? parts.inside : parts.outside)[part].push_back(static_cast<std::uint32_t>(i));
  return parts;
}

CrossFit cross_fit(const Loss& loss, const Design& design, const Parts& parts, bool always_sparse) {
  const Fitter fitter(loss, parts);
  CrossFit result;
  Scores best = fitter.constants();
  result.losses = fitter.losses(best);
  const auto take = [&](Scores& scores, std::vector<double>& losses) {
    best = std::move(scores);
    result.losses = std::move(losses);
    result.constant = false;
  };
  const Polynomials terms(design);
  Scores coefficients;
  const auto try_polynomial = [&](Index set, double penalty) {
    Scores scores = fitter.polynomials(terms, set, penalty, coefficients);
    std::vector<double> losses = fitter.losses(scores);
    if (!(sum(losses) < sum(result.losses))) return;
    take(scores, losses);
    result.choice.terms = static_cast<std::size_t>(set);
    result.choice.penalty = penalty;
  };
  for (const Index set : terms.sets()) try_polynomial(set, result.choice.penalty);
  if (!terms.sets().empty())
    for (const double penalty : {1.0, 100.0, 1000.0})
      try_polynomial(result.choice.terms > 0 ? static_cast<Index>(result.choice.terms) : terms.sets().front(), penalty);

  if ((always_sparse || !terms.complete()) && !design.columns.empty()) {
    std::vector<SparsePolynomial> sparse;
    for (const auto& rows : parts.outside) sparse.emplace_back(design, loss, rows);
    double lowest = sum(fitter.losses(fitter.constants()));
    for (std::size_t round = 1, last = 0; round <= SparsePolynomial::most_rounds && round <= last + 3; ++round) {
      Scores scores;
      for (SparsePolynomial& polynomial : sparse) {
        polynomial.add_round();
        scores.push_back(polynomial.scores());
      }
      std::vector<double> losses = fitter.losses(scores);
      if (const double now = sum(losses); now < lowest) lowest = now, last = round;
      if (!(sum(losses) < sum(result.losses))) continue;
      take(scores, losses);
      result.choice.rounds = round;
    }
  }

  if (!design.saturated(terms.complete())) {  // trees would only say the same again
    const BinnedColumns binned(design);
    Scores grown = best, kept;
    std::vector<double> kept_losses = result.losses;
    std::size_t kept_trees = 0;
    for (std::size_t tree = 1; tree <= most_trees && tree <= (kept_trees > 0 ? kept_trees + patience : first_patience);
         ++tree) {
      fitter.add_trees(binned, grown);
      std::vector<double> losses = fitter.losses(grown);
      if (!(sum(losses) < sum(kept_losses))) continue;
      kept = grown;
      kept_losses = std::move(losses);
      kept_trees = tree;
    }
    if (kept_trees > 0 && advantage(kept_losses, result.losses) > beyond_doubt) {
      take(kept, kept_losses);
      result.choice.trees = kept_trees;
    }
  }
  result.scores.resize(loss.samples() * loss.outputs());
  for (std::size_t part = 0; part < best.size(); ++part)
    for (const std::uint32_t i : parts.inside[part])
      for (std::size_t k = 0; k < loss.outputs(); ++k)
        result.scores[i * loss.outputs() + k] = best[part](i, static_cast<Index>(k));
  return result;
}

std::vector<double> fit_on(const Loss& loss, const Design& design, const std::vector<std::uint32_t>& rows,
                           const FitChoice& choice) {
  Parts one{{{}}, {rows}};
  std::vector<bool> learned(loss.samples(), false);
  for (const std::uint32_t i : rows) learned[i] = true;
  for (std::uint32_t i = 0; i < learned.size(); ++i)
    if (!learned[i]) one.inside.front().push_back(i);
  const Fitter fitter(loss, one);
  Scores scores = fitter.constants(), coefficients;
  if (choice.terms > 0)
    scores = fitter.polynomials(Polynomials(design), static_cast<Index>(choice.terms), choice.penalty, coefficients);
  if (choice.rounds > 0) {
    SparsePolynomial polynomial(design, loss, rows);
    for (std::size_t round = 0; round < choice.rounds; ++round) polynomial.add_round();
    scores.front() = polynomial.scores();
  }
  if (choice.trees > 0) {
    const BinnedColumns binned(design);
    for (std::size_t tree = 0; tree < choice.trees; ++tree) fitter.add_trees(binned, scores);
  }
  std::vector<double> all(loss.samples() * loss.outputs());
  for (std::size_t i = 0; i < loss.samples(); ++i)
    for (std::size_t k = 0; k < loss.outputs(); ++k)
      all[i * loss.outputs() + k] = scores.front()(static_cast<Index>(i), static_cast<Index>(k));
  return all;
}

}  // namespace macmi::predict
