#pragma once
#include <cstddef>

#include "base/random.hpp"
#include "cmi/prepare.hpp"

namespace macmi::citest {

/// How many of n samples neighbourhoods are looked at in: all of them, or eight for every centre. Neighbours of a
/// centre cost in proportion to the samples; beyond a few times the centres more of them make neighbourhoods smaller,
/// and do not bring more of these.
std::size_t neighbourhood_rows(std::size_t n, std::size_t centres);

/// Brings `count` of the samples, which are in the order of space, to the front: every (n / count)-th from a random one
/// on. These and the others keep their order. x, which is exchanged, has no say in it.
estimation::PreparedSample with_rows_first(estimation::PreparedSample prepared, std::size_t count,
                                           const base::StreamKey& stream);

/// Samples begin … end-1.
knn::JointSample samples_between(const knn::JointSample& sample, std::size_t begin, std::size_t end);

}  // namespace macmi::citest
