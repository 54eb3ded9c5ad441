// The shrink pass of ours that follows the paper's procedure.
#include <algorithm>

#include "blanket/search.hpp"

namespace macmi::blanket {

/// Every member again, given all the others, until nothing changes. With a correct test this leaves exactly the
/// blanket B: the set M found so far contains B; a feature X outside B is independent given M∖{X} ⊇ B, and a member
/// of B is dependent given any M∖{X} that contains the rest of B.
void Search::shrink() {
  while (shrink_once()) {
  }
}

bool Search::shrink_once() {
  std::vector<std::size_t> order = members_;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return marginal_effect(a) < marginal_effect(b); });
  bool changed = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    announce("shrink", all_of(order.size() - i, members_.size()));
    const TestKey key = given_the_others(order[i]);
    if (!may_retest(key)) continue;
    ledger_.look_ahead(key, [&](std::size_t count) {
      std::vector<TestKey> next;
      for (std::size_t j = i; j < order.size() && next.size() < count; ++j)
        if (TestKey test = given_the_others(order[j]); may_retest(test)) next.push_back(std::move(test));
      return next;
    });
    if (!independent(key) || candidates_.must[key.feature]) continue;
    ledger_.forget_guesses();
    leave(key.feature);
    changed = true;
  }
  return changed;
}

bool Search::may_retest(const TestKey& key) const {
  std::size_t dimensions = 0;
  for (const std::size_t rank : key.given) dimensions += candidates_.dimensions[rank];
  return dimensions <= shrink_limit_;
}

}  // namespace macmi::blanket
