#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "macmi/finished_work.hpp"

namespace macmi {

/// Does the answer survive when a part of the samples is taken away (Meinshausen & Bühlmann 2010)?
struct StabilityOptions {
  /// How many. Nothing: a light repetition on light_subsamples of them, where it takes no more work than the search
  /// (docs/search.md, Stability). 0: none.
  std::optional<std::uint64_t> subsamples = {};
  double share = 0.5;

  static constexpr std::size_t light_subsamples = 10;
};

/// How often each feature was selected on a subsample.
struct Stability {
  std::size_t subsamples = 0;
  double share = 0.5;                    ///< of the samples, in each subsample
  std::vector<std::string> features;     ///< sorted
  std::vector<std::size_t> selected_in;  ///< subsamples that selected the feature
  /// Of a feature of the answer that is not always selected: the others that were selected where it was not.
  std::vector<std::vector<std::string>> exchanged_for;
  bool light = false;  ///< only the answer, its stand-ins and near misses were asked

  /// 0 … 1; 0 for a feature that is not there.
  double frequency(const std::string& feature) const;
};

/// The rows of one subsample, ascending, drawn without replacement: a sample drawn twice would be its own nearest
/// neighbour, which is why this is not a bootstrap. With `classes` (one code per sample) every class keeps its share,
/// and at least one sample. With `units` (one number per sample) whole units are drawn, of the class of their first
/// row.
std::vector<std::size_t> subsample_rows(std::size_t samples, std::span<const std::int32_t> classes, double share,
                                        std::uint64_t seed, std::uint64_t index,
                                        std::span<const std::int32_t> units = {});

/// The rows of one subsample of a series: a stretch without gaps, from a random row on.
std::vector<std::size_t> stretch_of_rows(std::size_t samples, double share, std::uint64_t seed, std::uint64_t index);

/// Features outside of the answer that take a member's place: in two and a quarter of the selections without it, and at
/// most half as often in those with it. Most frequent first. `selected`: the names of each selection.
std::vector<std::string> taking_the_place_of(const std::string& member, const std::vector<std::string>& members,
                                             const std::vector<std::vector<std::string>>& selected);

/// Repeats a search on subsamples, on `threads` threads: on the rows that `draw` gives for each index.
/// `members_on(rows)` gives the names selected on these rows; both are called from several threads at once. `members`:
/// the answer on all samples. The same result for any number of threads. What was selected on each subsample is kept in
/// `finished`.
Stability selection_frequencies(std::vector<std::string> features, const std::vector<std::string>& members,
                                const std::function<std::vector<std::size_t>(std::uint64_t index)>& draw,
                                const StabilityOptions& options, std::size_t threads,
                                const std::function<std::vector<std::string>(std::span<const std::size_t>)>& members_on,
                                const FinishedWork& finished = {});

}  // namespace macmi
