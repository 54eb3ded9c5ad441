#pragma once
#include "macmi/ci_test.hpp"
#include "macmi/variable.hpp"

namespace macmi::citest {

/// The linear reference: is x uncorrelated with y given z? Exact for Gaussian data, blind to dependences without a
/// linear part. One-dimensional x and y: Fisher's z of the partial correlation, √(n − |z| − 3)·atanh r against the
/// normal. More dimensions (a category of c values is c − 1 of them): Wilks' Λ by Rao's F, exact when x or y has at
/// most two dimensions. Columns that are constant or determined by the others do not count.
/// `statistic` is the conditional mutual information in nats that jointly Gaussian data with these correlations has,
/// −½ ln Λ (−½ ln(1 − r²) in one dimension); `null_mean` and `null_sd` are exact for Gaussian data.
/// O(n·d²) for d columns. Throws InputError for NaN or infinity, naming the column.
CiResult fisher_z(const Variable& x, const Variable& y, const Variable& z);

}  // namespace macmi::citest
