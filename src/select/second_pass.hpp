#pragma once
#include <functional>

#include "macmi/select.hpp"
#include "select/selection_test.hpp"

namespace macmi::select {

/// How the result of a search is measured.
struct SecondPass {
  const TargetCiTest& test;  ///< the search's test under StopRule::never
  std::size_t threads = 0;
  std::function<bool()> cancelled = {};
  std::function<bool(const SearchProgress&)> on_progress = {};  ///< one call at a time, from any thread
};

/// The options of the search with tests that draw every permutation.
SelectOptions without_early_stops(SelectOptions resolved);

/// Measures every member given all other members, and the excluded features that tell most alone given the members:
/// p-values with all permutations, q-values, effects in nats (FeatureVerdict::measured).
void measure_selection(Selection& selection, const TestedSamples& samples, const SecondPass& pass);

/// The excluded features that are measured, of many: what a table shows.
inline constexpr std::size_t excluded_measured = 40;

/// Adjusted p-values (Benjamini & Hochberg 1995): the smallest level of false discoveries at which each is found. NaN
/// stays NaN and does not count.
std::vector<double> adjusted_p_values(const std::vector<double>& p_values);

}  // namespace macmi::select
