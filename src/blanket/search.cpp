#include "blanket/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macmi {

Search::Search(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts,
               const SearchHooks& hooks)
    : options_(options),
      candidates_(prepare_candidates(test, options, facts)),
      ledger_(test, candidates_.index_of, options, hooks),
      rule_{options.alpha, options.min_cmi, options.fdr > 0, {}},
      shrink_limit_(options.shrink_limit ? options.shrink_limit : facts.power_limit) {}

void Search::run() {
  try {
    marginal_screen();
    for (std::size_t size = 1; size <= options_.delta && size < adj_.size(); ++size) adjacent_level(size);
    if (options_.no_children) return;
    find_co_parents();
    if (!options_.no_shrink) shrink();
  } catch (const TestsUsedUp&) {
    partial_ = true;
  }
}

bool Search::dependent(const TestKey& key) {
  return rule_.outcome(key, ledger_.use(key)) == Outcome::dependent;
}
bool Search::independent(const TestKey& key) {
  return rule_.outcome(key, ledger_.use(key)) == Outcome::independent;
}

/// Level 0 of Algorithm 1. All its tests are certain to be needed; it also gives the order of the later levels.
void Search::marginal_screen() {
  std::vector<TestKey> keys;
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank)
    if (candidates_.searched(rank)) keys.push_back({rank, {}});
  announce("marginal screen", 0, 0);
  const std::size_t total = keys.size();
  if (options_.max_tests) keys.resize(std::min<std::size_t>(total, options_.max_tests));
  ledger_.evaluate(keys);

  std::vector<double> p_values, effects(candidates_.size());
  for (const TestKey& key : keys) {
    const CiResult& result = ledger_.use(key);
    p_values.push_back(std::isnan(result.p_value) ? 1 : resolved_p(result));
    effects[key.feature] = std::isnan(result.effect) ? 0 : result.effect;
  }
  if (rule_.fdr)
    for (const std::size_t i : benjamini_hochberg(p_values, total, options_.fdr))
      rule_.discoveries.insert(keys[i].feature);
  for (const TestKey& key : keys) {
    if (candidates_.must[key.feature] || dependent(key))
      adj_.push_back(key.feature);
    else
      separated_by_[key.feature] = key;
  }
  std::stable_sort(adj_.begin(), adj_.end(), [&](std::size_t a, std::size_t b) { return effects[a] > effects[b]; });
  if (keys.size() < total) throw TestsUsedUp{};
}

/// Lines 6 to 13 of Algorithm 1 for one size of the conditioning set, weakest marginal effect first.
void Search::adjacent_level(std::size_t size) {
  std::vector<std::size_t> weakest_first;
  for (auto rank = adj_.rbegin(); rank != adj_.rend(); ++rank)
    if (!candidates_.must[*rank]) weakest_first.push_back(*rank);
  LevelWalk walk(weakest_first, adj_, size);
  const std::string stage = fmt::format("adjacent features given {}", size);
  for (; !walk.done();) {
    announce(stage, walk.tests_left(), size + 1);
    const TestKey key = walk.current();
    ledger_.look_ahead(key, [&](std::size_t count) { return walk.next_tests(count); });
    if (independent(key)) {
      ledger_.forget_guesses();
      separated_by_[key.feature] = key;
      walk.removed();
      adj_ = walk.adj();
    } else {
      walk.survived();
    }
  }
}

/// Lines 15 to 21: features outside Adj that depend on the target given Adj.
void Search::find_co_parents() {
  TestKey key{0, adj_};
  std::sort(key.given.begin(), key.given.end());
  std::vector<TestKey> keys;
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank) {
    key.feature = rank;
    if (candidates_.searched(rank) && !is_adjacent(rank)) keys.push_back(key);
  }
  announce("co-parents", keys.size(), options_.delta + 1);
  if (options_.max_tests) {
    const std::size_t allowed = options_.max_tests - ledger_.used_count();
    ledger_.evaluate(std::span(keys).first(std::min(keys.size(), allowed)));
  } else {
    ledger_.evaluate(keys);
  }
  for (const TestKey& test : keys) {
    if (!dependent(test)) continue;
    co_parents_.push_back(test.feature);
    added_by_[test.feature] = test;
  }
}

/// Every member again, given all the others, until nothing changes. With a correct test this leaves exactly the
/// blanket B: the set M found so far contains B; a feature X outside B is independent given M∖{X} ⊇ B, and a member
/// of B is dependent given any M∖{X} that contains the rest of B.
void Search::shrink() {
  while (shrink_once()) {
  }
}

bool Search::shrink_once() {
  const auto marginal_effect = [&](std::size_t rank) {
    const double effect = ledger_.used({rank, {}})->effect;
    return std::isnan(effect) ? 0.0 : effect;
  };
  std::vector<std::size_t> order = members();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return marginal_effect(a) < marginal_effect(b); });
  bool changed = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    announce("shrink", order.size() - i, options_.delta + 1);
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
    std::erase(adj_, key.feature);
    std::erase(co_parents_, key.feature);
    separated_by_[key.feature] = key;
    changed = true;
  }
  return changed;
}

bool Search::may_retest(const TestKey& key) const {
  std::size_t dimensions = 0;
  for (const std::size_t rank : key.given) dimensions += candidates_.dimensions[rank];
  return dimensions <= shrink_limit_;
}

bool Search::is_adjacent(std::size_t rank) const {
  return std::find(adj_.begin(), adj_.end(), rank) != adj_.end();
}

bool Search::is_co_parent(std::size_t rank) const {
  return std::find(co_parents_.begin(), co_parents_.end(), rank) != co_parents_.end();
}

std::vector<std::size_t> Search::members() const {
  std::vector<std::size_t> all = adj_;
  all.insert(all.end(), co_parents_.begin(), co_parents_.end());
  std::sort(all.begin(), all.end());
  return all;
}

TestKey Search::given_the_others(std::size_t rank) const {
  TestKey key{rank, members()};
  std::erase(key.given, rank);
  return key;
}

void Search::announce(std::string stage, std::size_t left_here, std::size_t next_level) {
  stage_ = stage;
  ledger_.enter(stage);
  if (!ledger_.has_listener()) return;
  SearchProgress progress{std::move(stage), ledger_.used_count(), 0, 0, members().size()};
  std::size_t searched = 0;
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank) searched += candidates_.searched(rank);
  if (next_level == 0) progress.candidates = searched;
  TestForecast later = forecast_tests(searched, progress.candidates, next_level, options_);
  if (progress.stage == "co-parents" || progress.stage == "shrink") later = {};
  progress.expected = progress.finished + left_here + later.expected;
  progress.at_most = progress.finished + left_here + later.at_most;
  ledger_.announce(progress);
}

}  // namespace macmi
