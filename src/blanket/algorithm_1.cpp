// Algorithm 1 of Yang et al. (UAI 2020): from tests given nothing to tests given Δ others. Lines are the paper's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "blanket/level_walk.hpp"
#include "blanket/search.hpp"

namespace macmi::blanket {

/// Level 0 (lines 6 to 13 with the empty set). All its tests are certain to be needed; it also gives the order of the
/// later levels. Under the fixpoint Benjamini-Hochberg over all features says who stays, otherwise alpha does.
void Search::marginal_screen() {
  std::vector<TestKey> keys;
  for (const std::size_t rank : searched()) keys.push_back({rank, {}});
  announce("marginal screen", {}, from_level(0));
  const std::size_t total = keys.size();
  if (options_.max_tests) keys.resize(std::min<std::size_t>(total, options_.max_tests));
  const bool in_time = ledger_.evaluate(keys);
  if (!in_time) std::erase_if(keys, [&](const TestKey& key) { return !ledger_.known(key); });

  std::vector<double> p_values;
  for (const TestKey& key : keys) {
    const double p = rule_.joint_p(ledger_.use(key));
    p_values.push_back(std::isnan(p) ? 1 : p);
  }
  if (rule_.fdr)
    for (const std::size_t i : benjamini_hochberg(p_values, total, options_.fdr))
      if (p_values[i] <= options_.alpha) rule_.discoveries.insert(keys[i].feature);
  for (const TestKey& key : keys) {
    if (candidates_.must[key.feature] || dependent(key))
      adj_.push_back(key.feature);
    else
      separated_by_[key.feature] = key;
  }
  members_ = adj_;
  std::stable_sort(adj_.begin(), adj_.end(),
                   [&](std::size_t a, std::size_t b) { return marginal_effect(a) > marginal_effect(b); });
  if (keys.size() < total) throw TestsUsedUp{};
}

/// Lines 6 to 13 for one size of the conditioning set: each candidate, weakest marginal effect first, against each
/// subset of that size of the other candidates. A candidate that is independent given one leaves Adj at once.
void Search::adjacent_level(std::size_t size) {
  std::vector<std::size_t> weakest_first(adj_.rbegin(), adj_.rend());
  std::erase_if(weakest_first, [&](auto rank) { return candidates_.must[rank]; });
  LevelWalk walk(weakest_first, adj_, size);
  const std::string stage = fmt::format("adjacent features given {}", size);
  level_ = {.size = size};
  std::size_t tests_of_candidate = 0;
  while (!walk.done()) {
    level_.ahead = walk.candidates_left();
    level_.others = adj_.size() - 1;
    const std::size_t at_most = walk.tests_left();
    announce(stage, {size, at_most, std::min(tests_of_level(level_), static_cast<double>(at_most))},
             from_level(size + 1));
    const TestKey key = walk.current();
    ++tests_of_candidate;
    ledger_.look_ahead(key, [&](std::size_t count) { return walk.next_tests(count); });
    if (independent(key)) {
      ledger_.forget_guesses();
      separated_by_[key.feature] = key;
      walk.removed();
      adj_ = walk.adj();
      std::erase(members_, key.feature);
      ++level_.fallen;
      level_.tests_of_fallen += std::exchange(tests_of_candidate, 0);
    } else {
      walk.survived();
      if (!walk.done() && walk.candidate() == key.feature) continue;
      ++level_.passed;
      tests_of_candidate = 0;
    }
  }
}

/// Lines 15 to 21: features outside Adj that depend on the target given Adj.
void Search::find_co_parents() {
  TestKey key{0, members_};
  std::vector<TestKey> keys;
  for (const std::size_t rank : outsiders()) {
    key.feature = rank;
    keys.push_back(key);
  }
  announce("co-parents", all_of(keys.size(), members_.size()));
  ledger_.evaluate(keys);
  for (const TestKey& test : keys)
    if (dependent(test)) join(test);
}

}  // namespace macmi::blanket
