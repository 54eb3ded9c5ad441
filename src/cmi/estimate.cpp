#include "macmi/estimate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cmi/digamma.hpp"
#include "cmi/prepare.hpp"
#include "cmi/table_counts.hpp"
#include "knn/neighbourhoods.hpp"
#include "macmi/error.hpp"

namespace macmi::estimation {
namespace {

/// Frenzel & Pompe 2007 (Kraskov et al. 2004 without z): ψ(k) + ⟨ψ(n_z) − ψ(n_xz) − ψ(n_yz)⟩, the sample itself
/// counted. Within cells of fewer than k + 1 samples k is smaller (Ross 2014).
double continuous_term(const knn::Neighbourhoods& near, std::size_t i, const std::vector<double>& psi) {
  return psi[near.k[i]] + psi[near.z[i] + 1] - psi[near.xz[i] + 1] - psi[near.yz[i] + 1];
}

/// Mesner & Shalizi 2020: ⟨ψ(k̃) + ψ(n_z) − ψ(n_xz) − ψ(n_yz)⟩, the sample itself not counted; ψ(n) for an absent z.
double mixed_term(const knn::Neighbourhoods& near, std::size_t i, const std::vector<double>& psi, bool conditioned) {
  return psi[near.xyz[i]] + psi[conditioned ? near.z[i] : psi.size() - 1] - psi[near.xz[i]] - psi[near.yz[i]];
}

/// Categories alone: ⟨ln(n_xyz n_z / (n_xz n_yz))⟩ with the sample itself counted, the plug-in value. Without z, n_z =
/// n.
double counts_term(const knn::Neighbourhoods& near, std::size_t i) {
  const auto log = [](std::uint32_t others) { return std::log(others + 1.0); };
  return log(near.xyz[i]) + log(near.z[i]) - log(near.xz[i]) - log(near.yz[i]);
}

/// A sample alone in its combination of categories has no neighbour and adds 0, unless cells themselves are counted.
double mean_term(const knn::Neighbourhoods& near, TieRule rule, bool conditioned) {
  const std::size_t n = near.radius.size();
  const std::vector<double> psi = digamma_table(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (rule == TieRule::counts)
      sum += counts_term(near, i);
    else if (near.k[i] > 0)
      sum += rule == TieRule::mixed ? mixed_term(near, i, psi, conditioned) : continuous_term(near, i, psi);
  }
  return sum / static_cast<double>(n);
}

}  // namespace
}  // namespace macmi::estimation

namespace macmi {

std::vector<Option> declare(EstimateOptions& o) {
  return {
      {.name = "k", .field = &o.k, .meaning = "Neighbours, as a number or as a fraction of the samples", .low = 1e-15},
      {.name = "transform",
       .field = choice_of(o.transform, {"none", "block", "standardize", "ranks"}),
       .meaning = "Scaling before distances: one scale per variable (block), per column (standardize), ranks, none"},
      {.name = "ties",
       .field = choice_of(o.ties, {"auto", "continuous", "mixed"}),
       .meaning =
           "Counting rule: continuous (Frenzel-Pompe) or mixed (Mesner-Shalizi, for repeated values); auto looks "
           "at the data"},
      {.name = "categorical-metric",
       .field = choice_of(o.categorical, {"cells", "unit01"}),
       .meaning = "Categories as cells that neighbours share (Ross), or at distance 1 as in knncmi"},
      {.name = "z-weight",
       .field = &o.z_weight,
       .meaning = "Scale of the conditioning block against x and y; above 1 it must match more closely",
       .low = 1e-6,
       .high = 1e6},
      {.name = "threads", .field = &o.threads, .meaning = "Threads; 0 means every core. Results do not depend on it"},
      {.name = "engine",
       .field = choice_of(o.engine, {"fast", "brute-force"}),
       .meaning = "How neighbours are found; both give the same bits"},
  };
}

Estimate estimate_cmi(const Variable& x, const Variable& y, const Variable& z, const EstimateOptions& options) {
  const estimation::PreparedSample prepared = estimation::prepare(x, y, z, options);
  Estimate estimate;
  estimate.n = prepared.sample.n;
  estimate.left_out = prepared.ties == TieRule::counts ? 0 : prepared.alone;
  if (options.k.is_automatic()) throw InputError("an estimate needs a definite --k, not auto");
  estimate.k = options.k.resolve(estimate.n);
  estimate.ties = prepared.ties;
  estimate.ties_reason = prepared.ties_reason;
  estimate.transform = options.transform;
  if (estimate.k >= estimate.n)
    throw InputError(fmt::format("k = {} needs at least {} samples, and there are {}; lower --k", estimate.k,
                                 estimate.k + 1, estimate.n));
  if (estimate.left_out == estimate.n)
    throw InputError(
        "no sample shares its combination of categories with another one: merge rare categories or use fewer "
        "categorical columns");
  if (prepared.x_constant || prepared.y_constant) {
    estimate.ties_reason = fmt::format("{} is constant, so the information is 0", prepared.x_constant ? "x" : "y");
    return estimate;
  }
  if (prepared.ties == TieRule::counts && options.engine == Engine::fast) {
    estimate.value = estimation::table_information(prepared.sample);
    return estimate;
  }
  const knn::Edge edge = prepared.ties == TieRule::continuous ? knn::Edge::open : knn::Edge::closed;
  const knn::Neighbourhoods near = options.engine == Engine::brute_force
                                       ? knn::neighbourhoods_brute_force(prepared.sample, estimate.k, edge)
                                       : knn::neighbourhoods(prepared.sample, estimate.k, edge, options.threads);
  estimate.value = estimation::mean_term(near, prepared.ties, prepared.conditioned);
  return estimate;
}

double cmi(const Variable& x, const Variable& y, const Variable& z, const EstimateOptions& options) {
  return estimate_cmi(x, y, z, options).value;
}

double mutual_information(const Variable& x, const Variable& y, const EstimateOptions& options) {
  return estimate_cmi(x, y, {}, options).value;
}

}  // namespace macmi
