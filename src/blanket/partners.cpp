// Features that tell something only together: no screen shows them, and given members without its partner neither is
// asked with success.
//
// Of every pair that was found elsewhere (FeatureFacts::pairs) each is asked given the other and the members so far.
// Where both depend on the target both become members. The fixpoint begins with them: every member is asked given the
// others, and whoever adds nothing leaves. With a test that is never wrong it ends at the blanket from any start, so
// pairs change nothing of a right answer; with real tests they bring in what it would not have reached.
//
// The surest pairs come first. A copy of a member, or what follows from it, makes many pairs with the member's partner:
// it is asked given both, and stays outside.
#include <fmt/format.h>

#include <algorithm>

#include "blanket/search.hpp"

namespace macmi::blanket {

/// Pairs asked at most: two tests each.
constexpr std::size_t most_pairs_asked = 64;

void Search::join_partners() {
  if (!options_.asks_all_together()) return;
  std::size_t asked = 0;
  for (std::size_t p = 0; p < candidates_.pairs.size(); ++p) {
    const auto& [a, b, found] = candidates_.pairs[p];
    if (is_member(a) && is_member(b)) continue;
    if (++asked > most_pairs_asked) {
      notes_.push_back(
          fmt::format("{} pairs of features tell more together than alone; the surest {} of those that were not "
                      "selected yet were looked at",
                      candidates_.pairs.size(), most_pairs_asked));
      return;
    }
    const auto given_with = [&](std::size_t rank, std::size_t partner) {
      TestKey key = given_the_others(rank);
      if (!is_member(partner)) key.given.insert(std::upper_bound(key.given.begin(), key.given.end(), partner), partner);
      return key;
    };
    const TestKey of_a = given_with(a, b), of_b = given_with(b, a);
    announce("pairs given each other", all_of(2, of_a.given.size()), after_asking(2));
    ledger_.evaluate(std::vector{of_a, of_b});
    const bool a_depends = dependent(of_a), b_depends = dependent(of_b);
    if (!a_depends || !b_depends) continue;
    joined_pairs_.push_back(p);
    for (const TestKey& key : {of_a, of_b})
      if (!is_member(key.feature)) join(key);
  }
}

std::optional<FeaturePartner> Search::partner(std::size_t rank) const {
  if (!is_member(rank)) return std::nullopt;
  for (const std::size_t p : joined_pairs_) {
    const auto& [a, b, found] = candidates_.pairs[p];
    if ((rank != a && rank != b) || !is_member(a) || !is_member(b)) continue;
    return FeaturePartner{candidates_.names[rank == a ? b : a], found.information,
                          rank == a ? found.alone_a : found.alone_b};
  }
  return std::nullopt;
}

}  // namespace macmi::blanket
