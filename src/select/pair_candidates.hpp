#pragma once
#include <string>
#include <vector>

#include "macmi/select.hpp"

namespace macmi::select {

struct PairCandidates {
  std::vector<FeaturePair> pairs = {};
  std::string note = {};  ///< for the user: what was not looked at; empty where there is nothing to say
};

/// Pairs of features for the search to ask about (FeatureFacts::pairs); none where the options do not want them.
/// `hooks` hears of it as a stage of the search and can cancel it. What `finished` keeps is not looked for again.
PairCandidates pair_candidates(const Dataset& data, const SelectOptions& resolved, const SearchHooks& hooks,
                               const FinishedWork& finished);

/// Throws InputError where --interactions pairs asks for what cannot be.
void check_interactions(const Dataset& data, const SelectOptions& options);

}  // namespace macmi::select
