#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/variable.hpp"

namespace macmi::baselines {

/// n points of d numbers, row after row.
struct Points {
  std::size_t n = 0, d = 0;
  std::vector<double> values;
  const double* row(std::size_t i) const { return values.data() + i * d; }
};

/// The samples of a variable as points: each number standardised, each category an indicator of length 1/√2 (two
/// different categories are 1 apart). Constant columns are left out. Throws InputError for NaN or infinity.
Points standardised_points(const Variable& variable);

double squared_distance(const Points& points, std::size_t i, std::size_t j);

/// Throws InputError: no columns, different numbers of samples, fewer than `least`, folds (whose maps are not
/// comparable).
void check_samples(std::string_view method, const Variable& x, const Variable& y, const Variable& z,
                   const TestContext& context, std::size_t least);

/// The random numbers of one test: keyed by method, seed and names, the order of z's names aside.
base::StreamKey stream_of(std::string_view method, const Variable& x, const Variable& y, const Variable& z,
                          const TestOptions& options, const TestContext& context);

/// A permutation of 0 … n-1 (Fisher & Yates).
std::vector<std::uint32_t> shuffled_order(std::size_t n, base::RandomStream& random);

/// Fills p_value, null_mean, null_sd, effect, z_score, permutations and exceedances from the statistic and its null.
void judge(CiResult& result, const std::vector<double>& null);

/// The result of a test on a constant x or y: nothing speaks against independence.
CiResult constant_result(std::string_view method, std::size_t n, std::string_view which);

}  // namespace macmi::baselines
