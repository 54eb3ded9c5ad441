// Finds the excluded features that could stand in a member's place. Blankets are rarely unique: of two readings of the
// same thing one makes the other superfluous, and which one stays may be chance.
#include <algorithm>
#include <cmath>

#include "blanket/search.hpp"

namespace macmi::blanket {
namespace {

/// Of the excluded features the ones that are asked for each member, strongest first.
constexpr std::size_t asked_for_each = 5;
/// A stand-in tells alone at least this share of what the member tells alone.
constexpr double least_share = 0.5;

}  // namespace

/// F stands in for member X where F depends on the target given the other members, and X does not given the other
/// members and F, both at the level that made X a member: with F in, X would have left. (At alpha hardly any pair would
/// be found: X is a member because it looked best of the two, so chance is on its side.) Two tests for each plausible
/// pair; the first is often known.
void Search::find_interchangeable() {
  const double level = std::isnan(joint_level_) ? options_.alpha : joint_level_;
  std::vector<std::pair<TestKey, TestKey>> pairs;  // of F without X; of X with F
  std::vector<TestKey> keys;
  for (const std::size_t member : members_)
    for (const std::size_t stand_in : plausible_for(member)) {
      TestKey without = given_the_others(member), with = without;
      without.feature = stand_in;
      with.given.insert(std::upper_bound(with.given.begin(), with.given.end(), stand_in), stand_in);
      pairs.emplace_back(without, with);
      keys.push_back(without);
    }
  announce("interchangeable features", all_of(2 * keys.size(), members_.size()));
  ledger_.evaluate(keys);
  std::erase_if(pairs, [&](const auto& pair) { return rule_.at_alpha(ledger_.use(pair.first)) != Outcome::dependent; });
  keys.clear();
  for (const auto& [without, with] : pairs) keys.push_back(with);
  ledger_.evaluate(keys);
  for (const auto& [without, with] : pairs)
    if (rule_.joint_p(ledger_.use(with)) > level) interchangeable_[with.feature].push_back(without.feature);
  for (auto& [member, stand_ins] : interchangeable_) std::sort(stand_ins.begin(), stand_ins.end());
}

/// Those that depend on the target alone, by what they tell alone; first those that became superfluous given this
/// member.
std::vector<std::size_t> Search::plausible_for(std::size_t member) const {
  if (candidates_.must[member]) return {};
  const auto given_it = [&](std::size_t rank) {
    const auto separated = separated_by_.find(rank);
    return separated != separated_by_.end() &&
           std::count(separated->second.given.begin(), separated->second.given.end(), member) != 0;
  };
  std::vector<std::size_t> ranks = outsiders();
  std::erase_if(ranks, [&](std::size_t rank) {
    const CiResult* marginal = ledger_.used({rank, {}});
    return marginal == nullptr || rule_.at_alpha(*marginal) != Outcome::dependent ||
           !(marginal->effect >= least_share * marginal_effect(member));
  });
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
    if (given_it(a) != given_it(b)) return given_it(a);
    return marginal_effect(a) > marginal_effect(b);
  });
  ranks.resize(std::min(ranks.size(), asked_for_each));
  return ranks;
}

}  // namespace macmi::blanket
