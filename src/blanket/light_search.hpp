#pragma once
#include <map>
#include <string>
#include <vector>

#include "macmi/blanket.hpp"

namespace macmi::blanket {

/// The part of a search's result that a light repetition on other samples needs. Exact copies and features of --never
/// are left out.
struct KnownAnswer {
  std::vector<std::string> members;
  std::map<std::string, std::vector<std::string>> stand_ins;  ///< of members: Blanket's interchangeable features
  std::vector<std::string> others;                            ///< excluded ones that are asked again
  std::map<std::string, std::string> copies;                  ///< members by --must that are copies of members
  std::size_t searched = 0;                                   ///< features that the search asked together

  std::vector<std::string> asked() const;  ///< all of the above, each once, sorted
  /// Tests to be expected of one repetition where nothing changes.
  std::size_t tests() const;
};

/// The members of a blanket, their stand-ins, and of the other features those with the smallest p given the members;
/// a few, and no more than let one repetition take `tests` tests.
KnownAnswer known_answer(const Blanket& blanket, std::size_t tests);

/// The answer of a light search: of each member and its stand-ins, given the other members, the one that tells most of
/// these samples takes the place; then the fixpoint over the features of `answer`. Benjamini-Hochberg counts the
/// features that are not asked, as if each had p = 1.
struct LightAnswer {
  std::vector<std::string> members;  ///< sorted
  std::size_t tests = 0;
};
LightAnswer light_search(const TargetCiTest& test, SearchOptions options, const FeatureFacts& facts,
                         const KnownAnswer& answer, const SearchHooks& hooks = {});

}  // namespace macmi::blanket
