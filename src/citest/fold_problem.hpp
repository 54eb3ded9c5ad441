#pragma once
#include <cstddef>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/statistic.hpp"
#include "cmi/prepare.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

class ZRegression;

/// How prepared samples become what the engines evaluate (StatisticProblem).

EstimateOptions estimate_options(const TestOptions& options, TieRule ties);

/// True where the lattice is fine enough to stand for the samples.
bool resolves(const LatticeSample& lattice, const knn::JointSample& sample, std::size_t k);

/// The lattice, the neighbour counts and the centres of `sample`, which are the prepared samples that have
/// neighbourhoods. Nothing is said yet of what z explains of x. The k of `auto` are those of the smallest fold (0: this
/// one).
StatisticProblem make_problem(const knn::JointSample& sample, const estimation::PreparedSample& prepared,
                              const TestOptions& options, std::size_t smallest_fold, const base::StreamKey& stream);

/// z as local permutations want it: ties are those of the data, not of the coarse lattice.
LatticeBlock z_on_fine_lattice(const knn::JointSample& sample);

/// The part of every column of x that z explains. Empty where x has ties or categories, which a shift would destroy.
std::vector<std::vector<double>> x_trend(const estimation::PreparedSample& prepared, const ZRegression& z);

/// Columns in units of the lattice.
std::vector<std::vector<std::int32_t>> in_units(const std::vector<std::vector<double>>& columns, double unit);

}  // namespace macmi::citest
