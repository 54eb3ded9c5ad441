#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "citest/engines/fixed_psi.hpp"
#include "citest/engines/lattice.hpp"

namespace macmi::citest {

/// The input of all engines, for one set of samples (one fold). The permuted variable stands in the place of x.
struct StatisticProblem {
  LatticeSample sample;
  bool closed = false;          ///< the mixed rule: points at the radius count
  bool conditioned = false;     ///< z is there and varies
  std::vector<std::size_t> ks;  ///< in increasing order
  FixedPsi psi;                 ///< logarithms in its place where there are only categories
  /// [column of x][sample]: what z makes of x, which stays with its sample under permutation. Empty: nothing does.
  std::vector<std::vector<std::int32_t>> x_trend = {};
  /// The samples whose terms are summed, in increasing order; empty: all. Neighbours are looked for among all samples,
  /// and the choice is the same for every permutation.
  std::vector<std::uint32_t> centres = {};

  std::size_t centre_count() const { return centres.empty() ? sample.n : centres.size(); }
  /// The sample at centre c.
  std::size_t centre(std::size_t c) const { return centres.empty() ? c : centres[c]; }

  /// Nothing has a distance: the statistic is the plug-in value of the table of counts, whatever the k.
  bool only_categories() const {
    return sample.x.columns.empty() && sample.y.columns.empty() && sample.z.columns.empty();
  }

  /// Coordinate d of x of sample i when it gets that of sample `source`.
  std::int32_t x_at(std::size_t d, std::size_t i, std::size_t source) const {
    const std::int32_t x = sample.x.columns[d][source];
    return x_trend.empty() ? x : std::clamp(x + x_trend[d][i] - x_trend[d][source], 0, sample.range);
  }
};

/// A statistic before the division by the number of centres, in units of FixedPsi.
struct StatisticSum {
  std::int64_t terms = 0;
  bool operator==(const StatisticSum&) const = default;
};

/// The statistic of permuted samples. All engines give the same sums for the same lattice, bit for bit.
class StatisticEngine {
 public:
  virtual ~StatisticEngine() = default;
  /// Lane l has x_i replaced by x_{sources[l n + i]} (x_at); its statistic for ks[q] goes to sums[l ks.size() + q].
  /// A sample that is alone in its combination of categories, as it is or by its permuted x, adds 0; it is still a
  /// neighbour of others in (x, z), (y, z) and z. No sample is chosen by x and y together.
  virtual void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) = 0;
};

/// The definition of what sample i adds for one k, its x taken as `source` says: O(n d).
void add_plain_term(const StatisticProblem& problem, std::span<const std::uint32_t> source, std::size_t i,
                    std::size_t k, StatisticSum& sum);

/// The definition for all samples, for reading and for tests. O(n² d) a lane. The problem must outlive the engine, here
/// and below.
std::unique_ptr<StatisticEngine> make_plain_engine(const StatisticProblem& problem);

/// Categories alone: counts in the table of x, y and z. O(n) a lane.
std::unique_ptr<StatisticEngine> make_table_engine(const StatisticProblem& problem, std::size_t threads);

/// k-d trees on the coordinates themselves, for samples that the lattice cannot resolve. `x_trend` as in the problem,
/// in the coordinates of `exact`.
std::unique_ptr<StatisticEngine> make_tree_engine(const StatisticProblem& problem, knn::JointSample exact,
                                                  std::size_t threads, std::vector<std::vector<double>> x_trend = {});

/// 64 permutations at a time in vector lanes. Some variable must have numbers.
std::unique_ptr<StatisticEngine> make_lane_engine(const StatisticProblem& problem, std::size_t threads);

/// 512 permutations at a time in single bits, for x of numbers, z that is there, and sources of which each sample has a
/// few: what local permutations give unless many samples tie in z. Its preparations pay for many permutations only:
/// fewer than `least_lanes` at a time, and other sources, are left to the lanes.
bool slice_engine_fits(const StatisticProblem& problem);
std::unique_ptr<StatisticEngine> make_slice_engine(const StatisticProblem& problem, std::size_t threads,
                                                   std::size_t least_lanes = 256);

/// Categories in the place of x: distances in (y, z) never change, so that each sample's neighbours are walked through
/// once, for all permutations, one per bit; samples with the same y and z together. One walk per label: for few labels.
bool label_engine_fits(const StatisticProblem& problem);
std::unique_ptr<StatisticEngine> make_label_engine(const StatisticProblem& problem, std::size_t threads);

/// The same for many labels: one walk for all of them, a label of one of 64 permutations per lane.
std::unique_ptr<StatisticEngine> make_label_lane_engine(const StatisticProblem& problem, std::size_t threads);

/// One column x against one column y or categories, without z: O(n) to O(n log n) a permutation, for sources that
/// rearrange the samples. Others are left to the plain engine.
bool grid_engine_fits(const StatisticProblem& problem);
std::unique_ptr<StatisticEngine> make_grid_engine(const StatisticProblem& problem, std::size_t threads);

}  // namespace macmi::citest
