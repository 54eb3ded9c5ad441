// All features asked together, given the members, until nothing changes.
//
// Let M be the members. p_i is the p-value of feature i against the target given M∖{i}: a member given the others, an
// outsider given all members. K are the features that Benjamini-Hochberg keeps at --fdr among all p_i together. Where
// outsiders are in K, the one with the smallest p joins; else, where members are outside of K, the one with the largest
// p leaves; else M = K. False members are thereby rare however many features there are: an outsider does not come in
// because it is one of a thousand that were asked.
//
// Joining comes first because a child tells little of the target while the child's other parents are unknown, and they
// tell nothing once the child has left.
//
// With a test that is never wrong the answer is exactly the blanket B, from any start. Parents and children depend on
// the target given any set, so they join; a co-parent depends on it given any set that holds their common child, so it
// joins, too. No feature leaves before nobody joins, hence M ⊇ B by then. Then every other member is independent given
// the rest, and leaves, those of B stay, and no other outsider joins.
//
// Complexity: a sweep over all m features costs m tests. Between changes only the members and those outsiders are asked
// again that came near; the sweep is repeated when nothing else is left to do. About 3 m + (changes + 1)·|M| tests in
// practice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_of.hpp"
#include "blanket/search.hpp"

namespace macmi::blanket {

void Search::fixpoint() {
  std::set<std::vector<std::size_t>> seen{members_};
  bool everyone = false;  // ask all features at every step
  ask(searched());
  for (;;) {
    ask(everyone ? searched() : members_);
    const std::set<std::size_t> together = discovered_together();
    std::vector<std::size_t> leavers, joiners;
    for (const std::size_t rank : members_)
      if (!together.contains(rank) && !candidates_.must[rank] && !std::isnan(asked_.at(rank).p))
        leavers.push_back(rank);
    for (const std::size_t rank : together)
      if (!is_member(rank)) joiners.push_back(rank);
    if (std::any_of(joiners.begin(), joiners.end(), [&](auto rank) { return !asked(rank); })) {
      ask(joiners);  // they looked like joining under earlier members
      continue;
    }
    if (!joiners.empty()) {
      join(given_the_others(
          *std::min_element(joiners.begin(), joiners.end(), [&](auto a, auto b) { return stronger(a, b); })));
    } else if (ask_again(options_.alpha)) {
      continue;
    } else if (!leavers.empty()) {
      leave(*std::min_element(leavers.begin(), leavers.end(), [&](auto a, auto b) { return weaker(a, b); }));
    } else if (ask_again(1)) {
      continue;
    } else {
      return;
    }
    if (seen.insert(members_).second) continue;
    if (everyone) break;
    everyone = true;  // p-values of earlier members may have led in a circle
    seen = {members_};
  }
  ask(searched());
  discovered_together();
  notes_.push_back(
      "the members took turns: with one of them in, another one seemed superfluous, and so on in a circle, "
      "at one point of which the search ended");
}

/// Asks outsiders that were asked under earlier members and had a p-value of at most `nearer` then. False: none.
bool Search::ask_again(double nearer) {
  std::vector<std::size_t> again;
  for (const std::size_t rank : outsiders())
    if (!asked(rank) && !(asked_.at(rank).p > nearer)) again.push_back(rank);
  ask(again);
  return !again.empty();
}

bool Search::asked(std::size_t rank) const {
  const auto found = asked_.find(rank);
  return found != asked_.end() && found->second.change == change_;
}

/// Asks those features given the present members that were not yet.
void Search::ask(const std::vector<std::size_t>& ranks) {
  std::vector<TestKey> keys;
  for (const std::size_t rank : ranks)
    if (!asked(rank)) keys.push_back(given_the_others(rank));
  announce("given the members", all_of(keys.size(), members_.size()), after_asking(keys.size()));
  if (is_sweep(keys.size())) ++sweeps_;
  ledger_.evaluate(keys);
  for (const TestKey& key : keys) {
    const CiResult& result = ledger_.use(key);
    asked_[key.feature] = {change_, rule_.joint_p(result), std::isnan(result.z_score) ? 0 : result.z_score};
  }
}

/// Benjamini-Hochberg over what was asked last of every feature; a test that could not be made counts as p = 1.
std::set<std::size_t> Search::discovered_together() {
  std::vector<std::size_t> ranks;
  std::vector<double> p_values;
  for (const auto& [rank, last] : asked_) {
    ranks.push_back(rank);
    p_values.push_back(std::isnan(last.p) ? 1 : last.p);
  }
  std::set<std::size_t> kept;
  const std::vector<std::size_t> rejected = benjamini_hochberg(p_values, ranks.size(), options_.fdr);
  for (const std::size_t i : rejected)
    if (p_values[i] <= options_.alpha) kept.insert(ranks[i]);
  const double count = static_cast<double>(std::max<std::size_t>(1, rejected.size()));
  joint_level_ = std::min(options_.alpha, options_.fdr * count / static_cast<double>(ranks.size()));
  return kept;
}

/// True if `a` leaves before `b`: by p, then by what it tells beyond chance now, then alone, then by name.
bool Search::weaker(std::size_t a, std::size_t b) const {
  const Asked &in_a = asked_.at(a), &in_b = asked_.at(b);
  if (in_a.p != in_b.p) return in_a.p > in_b.p;
  if (in_a.z_score != in_b.z_score) return in_a.z_score < in_b.z_score;
  if (marginal_effect(a) != marginal_effect(b)) return marginal_effect(a) < marginal_effect(b);
  return a < b;
}

/// True if `a` joins before `b`: by p, those that never left first among equals, then the opposite of weaker().
bool Search::stronger(std::size_t a, std::size_t b) const {
  const Asked &in_a = asked_.at(a), &in_b = asked_.at(b);
  if (std::isnan(in_a.p) || std::isnan(in_b.p)) return std::isnan(in_b.p) && (!std::isnan(in_a.p) || a < b);
  if (in_a.p != in_b.p) return in_a.p < in_b.p;
  if (left_once_.count(a) != left_once_.count(b)) return left_once_.count(a) < left_once_.count(b);
  if (in_a.z_score != in_b.z_score) return in_a.z_score > in_b.z_score;
  if (marginal_effect(a) != marginal_effect(b)) return marginal_effect(a) > marginal_effect(b);
  return a < b;
}

void Search::join(const TestKey& by) {
  members_.insert(std::upper_bound(members_.begin(), members_.end(), by.feature), by.feature);
  joined_by_[by.feature] = by;
  ++change_;
}

void Search::leave(std::size_t rank) {
  separated_by_[rank] = given_the_others(rank);
  std::erase(members_, rank);
  left_once_.insert(rank);
  ++change_;
}

/// --n-features: the weakest members leave, or the strongest outsiders join, one at a time, each judged given those
/// that are in. After a change the few outsiders that came nearest are asked again.
void Search::reach_number(std::size_t wanted) {
  constexpr std::size_t nearest = 8;
  const auto before = members_;
  while (members_.size() > wanted) {
    ask(members_);
    std::vector<std::size_t> free = members_;
    std::erase_if(free, [&](std::size_t rank) { return candidates_.must[rank]; });
    leave(*std::min_element(free.begin(), free.end(), [&](auto a, auto b) { return weaker(a, b); }));
  }
  if (members_.size() < wanted) ask(searched());
  while (members_.size() < wanted) {
    std::vector<std::size_t> next = outsiders();
    std::sort(next.begin(), next.end(), [&](auto a, auto b) { return stronger(a, b); });
    if (asked(next.front())) {
      join(given_the_others(next.front()));
      continue;
    }
    next.resize(std::min(next.size(), nearest));
    ask(next);
  }
  if (members_ == before) return;
  ask(members_);
  std::set_symmetric_difference(members_.begin(), members_.end(), before.begin(), before.end(),
                                std::inserter(by_number_, by_number_.end()));
  notes_.push_back(
      wanted < before.size()
          ? fmt::format("--n-features {}: the tests keep {}; the weakest given the others left one after another",
                        wanted, base::number_of(before.size(), "feature"))
          : fmt::format("--n-features {}: the tests keep {}; the others joined in the order of their p-values "
                        "given those already in, though each may be there by chance",
                        wanted, base::number_of(before.size(), "feature")));
}

}  // namespace macmi::blanket
