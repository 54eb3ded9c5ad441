#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "blanket/light_search.hpp"
#include "macmi/select.hpp"
#include "select/selection_test.hpp"

namespace macmi::select {

/// The blanket found by a test of this data set, with what the result says about target and options.
/// `resolved`: options resolved for these samples. `finished` keeps the pairs of features that were found.
Selection search_samples(const Dataset& data, const TargetCiTest& test, const SelectOptions& resolved,
                         const SearchHooks& hooks, const FinishedWork& finished = {});

/// How subsamples are searched.
struct SubsampleSearch {
  std::size_t threads = 0;       ///< searches at a time, each on one thread
  std::size_t tests_before = 0;  ///< of the search on all samples
  FinishedWork finished = {};
  const blanket::KnownAnswer* from = nullptr;  ///< a light search from this answer instead of a whole one
};

/// Repeats the search on subsamples of what was searched; maps are kept as they are. `members` is the answer on all
/// samples. `hooks` hears of all searches together.
Stability search_subsamples(const TestedSamples& samples, const std::vector<std::string>& members,
                            const SelectOptions& resolved, const SubsampleSearch& how, const SearchHooks& hooks);

/// The answer from which light searches start, where --stability is auto and they take no more work than the search
/// and its second pass did, or very little work at all. Nothing where they are not to be made. Reads no clock: work is
/// tests times samples.
std::optional<blanket::KnownAnswer> light_stability_of(const Selection& selection, const SelectOptions& resolved);

}  // namespace macmi::select
