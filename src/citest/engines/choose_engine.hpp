#pragma once
#include <memory>

#include "citest/engines/statistic.hpp"

namespace macmi::citest {

// clang-format off
/// The engine that evaluates permutations of a problem which the lattice resolves. All give the same sums. n is the
/// number of samples, c of centres, L of labels; the cost is that of one permutation.
///
///   tables       Categories alone. Counts in the table of x, y and z. Cost n.
///   grid         No z; one column x; one column y or categories. Counts of rectangles on a grid of ranks; categories by
///                a sweep along x in each class. Cost n + c. Sources that do not rearrange the samples: plain.
///   labels       x of up to 3 labels. Neighbours are sorted once; permutations, one a bit, walk outwards label by
///                label. Cost L k c / 64 walks.
///   label lanes  x of more labels. The same with a byte per label, 64 permutations together; rare labels from their
///                few members. Cost L k c / 64.
///   slices       z, x of numbers, the continuous rule, 256 permutations at a time. A local permutation gives a sample
///                one of about five x: distances to all choices are sorted once, a bit each. Cost: the samples near in
///                z of c centres, by 1/512. Fewer permutations and z with ties: lanes.
///   lanes        All others. Samples near in (y, z) and z are listed once; 64 permutations in vector lanes. Cost: the
///                samples near in z of c centres, by 1/64.
///   tree         No lattice resolves the samples. k-d trees on doubles for every permutation. Cost (n + c) log n.
///   plain        Never: the definition. All distances. Cost c n.
// clang-format on
std::unique_ptr<StatisticEngine> make_engine(const StatisticProblem& problem, std::size_t threads);

}  // namespace macmi::citest
