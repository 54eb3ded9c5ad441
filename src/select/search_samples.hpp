#pragma once
#include <cstddef>

#include "macmi/select.hpp"
#include "select/selection_test.hpp"

namespace macmi::select {

/// The blanket found by a test of this data set, with what the result says about target and options.
/// `resolved`: options resolved for these samples.
Selection search_samples(const Dataset& data, const TargetCiTest& test, const SelectOptions& resolved,
                         const SearchHooks& hooks);

/// How subsamples are searched.
struct SubsampleSearch {
  std::size_t threads = 0;       ///< searches at a time, each on one thread
  std::size_t tests_of_one = 0;  ///< tests that one search is expected to take
  FinishedWork finished = {};
};

/// Repeats the search on subsamples of what was searched; maps are kept as they are. `hooks` hears of all searches
/// together.
Stability search_subsamples(const TestedSamples& samples, const SelectOptions& resolved, const SubsampleSearch& how,
                            const SearchHooks& hooks);

}  // namespace macmi::select
