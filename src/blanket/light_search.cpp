// Does an answer hold on other samples? The search is repeated from the answer, among the features that had a part in
// it.
#include "blanket/light_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "blanket/search.hpp"

namespace macmi::blanket {
namespace {

/// Others that are asked at most, or as many as there are members: those with larger p hardly ever come in.
constexpr std::size_t few_others = 10;

/// Features that the search asked by themselves.
bool searched(const FeatureVerdict& f) {
  return f.same_as.empty() && f.reason != Reason::forbidden && f.reason != Reason::not_reached;
}

/// The p-value given the members: of the second pass, else of the search.
double p_given_members(const FeatureVerdict& f) {
  const double p = f.measured ? f.measured->p_value : f.deciding ? resolved_p(f.deciding->result) : 1;
  return std::isnan(p) ? 1 : p;
}

}  // namespace

std::vector<std::string> KnownAnswer::asked() const {
  std::set<std::string> all(members.begin(), members.end());
  for (const auto& [member, names] : stand_ins) all.insert(names.begin(), names.end());
  all.insert(others.begin(), others.end());
  return {all.begin(), all.end()};
}

std::size_t KnownAnswer::tests() const {
  std::size_t exchanges = 0;
  for (const auto& [member, names] : stand_ins) exchanges += 1 + names.size();
  return exchanges + asked().size();
}

KnownAnswer known_answer(const Blanket& blanket, std::size_t tests) {
  KnownAnswer answer;
  std::set<std::string> can_be_asked;
  for (const FeatureVerdict& f : blanket.features)
    if (searched(f)) can_be_asked.insert(f.name);
  answer.searched = can_be_asked.size();
  for (const FeatureVerdict& f : blanket.features) {
    if (f.role != Role::excluded && !f.same_as.empty()) answer.copies[f.name] = f.same_as;
    if (f.role == Role::excluded || !can_be_asked.contains(f.name)) continue;
    answer.members.push_back(f.name);
    for (const std::string& name : f.interchangeable)
      if (can_be_asked.contains(name)) answer.stand_ins[f.name].push_back(name);
  }
  for (const std::string& name : answer.asked()) can_be_asked.erase(name);
  std::vector<const FeatureVerdict*> rest;
  for (const FeatureVerdict& f : blanket.features)
    if (can_be_asked.contains(f.name)) rest.push_back(&f);
  std::stable_sort(rest.begin(), rest.end(),
                   [](const auto* a, const auto* b) { return p_given_members(*a) < p_given_members(*b); });
  const std::size_t room =
      std::min(tests - std::min(tests, answer.tests()), std::max(few_others, answer.members.size()));
  for (const FeatureVerdict* f : rest)
    if (answer.others.size() < room) answer.others.push_back(f->name);
  return answer;
}

void Search::run_from(const KnownAnswer& answer) {
  const auto rank_of = [&](const std::string& name) {
    const auto& names = candidates_.names;
    return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
  };
  for (const std::string& name : answer.members) members_.push_back(rank_of(name));
  std::sort(members_.begin(), members_.end());
  // Every place is filled given the members of the answer, so that the order of the places does not matter.
  std::set<std::size_t> best;
  for (const std::size_t member : members_) {
    std::vector<std::size_t> stand_ins;
    if (const auto found = answer.stand_ins.find(candidates_.names[member]); found != answer.stand_ins.end())
      for (const std::string& name : found->second) stand_ins.push_back(rank_of(name));
    best.insert(best_in_place_of(member, stand_ins));
  }
  members_.assign(best.begin(), best.end());
  fixpoint();
  if (options_.n_features) reach_number(options_.n_features);
}

/// By p, then by what it tells beyond chance; the member itself among equals.
std::size_t Search::best_in_place_of(std::size_t member, const std::vector<std::size_t>& stand_ins) {
  if (stand_ins.empty()) return member;
  std::vector<TestKey> keys{given_the_others(member)};
  for (const std::size_t stand_in : stand_ins) {
    keys.push_back(keys.front());
    keys.back().feature = stand_in;
  }
  ledger_.evaluate(keys);
  std::size_t best = member;
  double least_p = 2, most_z = 0;
  for (const TestKey& key : keys) {
    const CiResult& result = ledger_.use(key);
    const double p = rule_.joint_p(result), z = std::isnan(result.z_score) ? 0 : result.z_score;
    if (std::isnan(p) || std::pair(p, -z) >= std::pair(least_p, -most_z)) continue;
    best = key.feature, least_p = p, most_z = z;
  }
  return best;
}

LightAnswer light_search(const TargetCiTest& test, SearchOptions options, const FeatureFacts& facts,
                         const KnownAnswer& answer, const SearchHooks& hooks) {
  const std::vector<std::string> asked = answer.asked();
  options.never.clear();
  for (const std::string& name : test.features())
    if (!std::binary_search(asked.begin(), asked.end(), name)) options.never.push_back(name);
  // Of copies only the one that was searched is asked, and it is not "the same as" another any more.
  std::erase_if(options.must, [&](const auto& name) { return !std::binary_search(asked.begin(), asked.end(), name); });
  // i · fdr / m is i · (fdr · c / m) / c: c features asked among m.
  options.fdr *= static_cast<double>(asked.size()) / static_cast<double>(std::max<std::size_t>(1, answer.searched));
  options.max_tests = 0;
  options.budget.clear();
  Search search(test, options, {{}, facts.dimensions, facts.power_limit}, hooks);
  search.run_from(answer);
  LightAnswer found;
  found.tests = search.ledger().used_count();
  for (const std::size_t rank : search.members()) found.members.push_back(search.candidates().names[rank]);
  for (const auto& [copy, original] : answer.copies)
    if (std::count(found.members.begin(), found.members.end(), original)) found.members.push_back(copy);
  std::sort(found.members.begin(), found.members.end());
  return found;
}

}  // namespace macmi::blanket
