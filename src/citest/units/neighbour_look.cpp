#include "citest/units/neighbour_look.hpp"

#include <numeric>

#include "citest/engines/choose_engine.hpp"
#include "citest/engines/spatial_order.hpp"
#include "citest/fold_problem.hpp"

namespace macmi::citest {

NeighbourLook::NeighbourLook(const Variable& x, const Variable& y, const TestOptions& options, bool rearranges,
                             const base::StreamKey& stream)
    : prepared_(in_spatial_order(estimation::prepare(x, y, {}, estimate_options(options, options.ties)))),
      problem_(make_problem(prepared_.sample, prepared_, options, 0, stream)),
      place_(prepared_.rows.size()) {
  for (std::size_t p = 0; p < place_.size(); ++p) place_[prepared_.rows[p]] = static_cast<std::uint32_t>(p);
  if (problem_.only_categories()) problem_.ks.resize(1);  // the statistic is that of the table, whatever the k
  const bool resolved = problem_.only_categories() || problem_.sample.range == narrow_lattice ||
                        resolves(problem_.sample, prepared_.sample, problem_.ks.front());
  if (!resolved)
    engine_ = make_tree_engine(problem_, prepared_.sample, options.threads);
  else if (!rearranges && !problem_.only_categories() && grid_engine_fits(problem_))
    engine_ = make_lane_engine(problem_, options.threads);
  else
    engine_ = make_engine(problem_, options.threads);
}

std::vector<std::size_t> NeighbourLook::ks() const {
  return problem_.only_categories() ? std::vector<std::size_t>{0} : problem_.ks;
}

std::vector<double> NeighbourLook::evaluated(std::span<const std::uint32_t> sources, std::size_t permutations) {
  std::vector<StatisticSum> sums(permutations * problem_.ks.size());
  engine_->evaluate(sources, sums);
  std::vector<double> values;
  for (const StatisticSum& sum : sums)
    values.push_back(problem_.psi.to_nats(sum.terms) / static_cast<double>(problem_.centre_count()));
  return values;
}

std::vector<double> NeighbourLook::observed() {
  std::vector<std::uint32_t> identity(problem_.sample.n);
  std::iota(identity.begin(), identity.end(), 0U);
  return evaluated(identity, 1);
}

std::vector<double> NeighbourLook::permuted(std::span<const std::uint32_t> sources) {
  const std::size_t n = problem_.sample.n;
  std::vector<std::uint32_t> there(sources.size());
  std::size_t permutations = 0;
  for (std::size_t b = 0; b < sources.size(); b += n, ++permutations)
    for (std::size_t p = 0; p < n; ++p) there[b + p] = place_[sources[b + prepared_.rows[p]]];
  return evaluated(there, permutations);
}

}  // namespace macmi::citest
