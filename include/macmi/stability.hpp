#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "macmi/finished_work.hpp"

namespace macmi {

/// Does the answer survive when a part of the samples is taken away (Meinshausen & Bühlmann 2010)?
struct StabilityOptions {
  std::uint64_t subsamples = 0;  ///< 0: not asked
  double share = 0.5;
};

/// How often each feature was selected on a subsample.
struct Stability {
  std::size_t subsamples = 0;
  double share = 0.5;                    ///< of the samples, in each subsample
  std::vector<std::string> features;     ///< sorted
  std::vector<std::size_t> selected_in;  ///< subsamples that selected the feature

  /// 0 … 1; 0 for a feature that is not there.
  double frequency(const std::string& feature) const;
};

/// The rows of one subsample, ascending, drawn without replacement: a sample drawn twice would be its own nearest
/// neighbour, which is why this is not a bootstrap. With `classes` (one code per sample) every class keeps its share,
/// and at least one sample.
std::vector<std::size_t> subsample_rows(std::size_t samples, std::span<const std::int32_t> classes, double share,
                                        std::uint64_t seed, std::uint64_t index);

/// Repeats a search on subsamples, on `threads` threads. `members_on(rows)` gives the names selected on these rows; it
/// is called from several threads at once. The same result for any number of threads. What was selected on each
/// subsample is kept in `finished`.
Stability selection_frequencies(std::vector<std::string> features, std::size_t samples,
                                std::span<const std::int32_t> classes, const StabilityOptions& options,
                                std::uint64_t seed, std::size_t threads,
                                const std::function<std::vector<std::string>(std::span<const std::size_t>)>& members_on,
                                const FinishedWork& finished = {});

}  // namespace macmi
