#pragma once
#include <memory>

#include "citest/engines/statistic.hpp"

namespace macmi {

/// The engine that evaluates permutations of a problem which the lattice resolves. All give the same sums; L is the
/// number of labels, c of centres, and cost is that of one permutation.
///
/// | engine      | case                              | idea                                      | cost               |
/// what it leaves  |
/// |-------------|-----------------------------------|-------------------------------------------|--------------------|-----------------|
/// | tables      | categories alone                  | counts in the table of x, y and z         | n                  |
/// | | grid        | no z, one column x, one column y  | counts of rectangles on a grid of ranks   | n + c | sources
/// that do | |             | or categories                     | categories: a sweep along x in each class | n | not
/// rearrange: plain | | labels      | x of up to 4 labels               | neighbours sorted once; one permutation a | L
/// k c / 64 walks   |                 | |             |                                   | bit walks outwards, label
/// by label        |                    |                 | | label lanes | x of more labels                  |
/// neighbours sorted once; a byte per label, | L k c / 64, or the |                 | |             | | 64 permutations
/// walk outwards together;   | members of rare    |                 | |             | | rare labels from their few
/// members        | labels             |                 | | slices      | z, x of numbers, continuous rule, | a sample
/// gets one of about 5 x: distances | c times near in z, | fewer lanes, z  | |             | 256 permutations at a time
/// | to all choices sorted once, a bit each    | by 1 / 512         | with ties: lanes| | lanes       | all others |
/// near samples in (y, z) and z listed once; | c times near in z, |                 | |             | | 64 permutations
/// in vector lanes           | by 1 / 64          |                 | | tree        | no lattice resolves the samples
/// | k-d trees on doubles for every permutation| (n + c) log n      |                 | | plain       | never: the
/// definition             | all distances                             | c n                |                 |
std::unique_ptr<StatisticEngine> make_engine(const StatisticProblem& problem, std::size_t threads);

}  // namespace macmi
