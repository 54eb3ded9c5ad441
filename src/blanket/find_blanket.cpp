// From the state of a finished search to what the user is told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blanket/search.hpp"

namespace macmi {
namespace {

constexpr std::size_t near_misses_kept = 5;

using UsedTests = std::vector<std::pair<const TestKey*, const CiResult*>>;

/// The tests of one feature that the algorithm used. The ledger is ordered by feature.
UsedTests used_tests(const Search& search, std::size_t rank) {
  UsedTests tests;
  const auto& entries = search.ledger().entries();
  for (auto entry = entries.lower_bound({rank, {}}); entry != entries.end() && entry->first.feature == rank; ++entry)
    if (entry->second.used) tests.emplace_back(&entry->first, &entry->second.result);
  return tests;
}

std::vector<std::string> names_of(const Search& search, const std::vector<std::size_t>& ranks) {
  std::vector<std::string> names;
  for (const std::size_t rank : ranks) names.push_back(search.candidates().names[rank]);
  return names;  // ranks ascend, so names do
}

Evidence evidence(const Search& search, const TestKey& key, const CiResult& result) {
  return {names_of(search, key.given), result};
}

/// The largest p, then the smallest effect, then the smallest set.
std::optional<Evidence> weakest(const Search& search, const UsedTests& tests) {
  if (tests.empty()) return std::nullopt;
  const auto worse = [](const auto& a, const auto& b) {
    if (std::isnan(a.second->p_value) != std::isnan(b.second->p_value)) return std::isnan(a.second->p_value);
    if (a.second->p_value < b.second->p_value || a.second->p_value > b.second->p_value)
      return a.second->p_value < b.second->p_value;
    if (a.second->effect != b.second->effect) return a.second->effect > b.second->effect;
    return a.first->given.size() > b.first->given.size();
  };
  const auto found = std::max_element(tests.begin(), tests.end(), worse);
  return evidence(search, *found->first, *found->second);
}

/// Whether the algorithm used this test and the test could be made.
bool made(const Search& search, const TestKey& key) {
  const CiResult* result = search.ledger().used(key);
  return result != nullptr && !std::isnan(result->p_value);
}

std::optional<Evidence> deciding_test(const Search& search, std::size_t rank, Role role, const UsedTests& tests) {
  if (role == Role::excluded) {
    const auto separated = search.separated_by().find(rank);
    if (separated == search.separated_by().end()) return std::nullopt;
    return evidence(search, separated->second, *search.ledger().used(separated->second));
  }
  const TestKey others = search.given_the_others(rank);
  if (made(search, others)) return evidence(search, others, *search.ledger().used(others));
  if (role == Role::adjacent) return weakest(search, tests);
  const TestKey& added = search.added_by().at(rank);
  return evidence(search, added, *search.ledger().used(added));
}

void add_near_misses(const Search& search, const UsedTests& tests, FeatureVerdict& verdict) {
  std::vector<std::pair<double, std::size_t>> distance;
  const DecisionRule& rule = search.rule();
  for (std::size_t t = 0; t < tests.size(); ++t)
    if (rule.near_miss(*tests[t].first, *tests[t].second))
      distance.emplace_back(std::abs(std::log(std::max(tests[t].second->p_value, 1e-300) / rule.alpha)), t);
  std::sort(distance.begin(), distance.end());
  verdict.near_miss_count = distance.size();
  for (std::size_t i = 0; i < std::min(distance.size(), near_misses_kept); ++i) {
    const auto& [key, result] = tests[distance[i].second];
    verdict.near_misses.push_back(evidence(search, *key, *result));
  }
}

FeatureVerdict judge_searched(const Search& search, std::size_t rank) {
  FeatureVerdict verdict;
  verdict.role = search.is_adjacent(rank)    ? Role::adjacent
                 : search.is_co_parent(rank) ? Role::co_parent
                                             : Role::excluded;
  const UsedTests tests = used_tests(search, rank);
  verdict.tests = tests.size();
  if (search.candidates().must[rank])
    verdict.reason = Reason::required;
  else if (tests.empty())
    verdict.reason = Reason::not_reached;
  verdict.deciding = deciding_test(search, rank, verdict.role, tests);
  if (const CiResult* marginal = search.ledger().used({rank, {}})) verdict.marginal = *marginal;
  if (verdict.role != Role::excluded)
    verdict.re_tested = made(search, search.given_the_others(rank));
  else if (verdict.deciding)
    verdict.separating_set = verdict.deciding->given;
  add_near_misses(search, tests, verdict);
  return verdict;
}

/// A copy shows its representative's tests; the copy itself was not tested.
FeatureVerdict judge_copy(const Search& search, std::size_t rank) {
  const Candidates& candidates = search.candidates();
  const std::size_t original = candidates.representative[rank];
  FeatureVerdict verdict = judge_searched(search, original);
  verdict.tests = 0;
  verdict.near_misses.clear();
  verdict.near_miss_count = 0;
  verdict.same_as = candidates.names[original];
  verdict.reason = candidates.must[rank] ? Reason::required : candidates.never[rank] ? Reason::forbidden : Reason::copy;
  if (verdict.reason == Reason::required) return verdict;
  verdict.role = Role::excluded;
  verdict.re_tested = false;
  verdict.separating_set = {verdict.same_as};  // nothing is left to learn from a copy once the original is known
  return verdict;
}

FeatureVerdict judge(const Search& search, std::size_t rank) {
  const Candidates& candidates = search.candidates();
  FeatureVerdict verdict;
  if (candidates.representative[rank] != rank)
    verdict = judge_copy(search, rank);
  else if (candidates.never[rank])
    verdict.reason = Reason::forbidden;
  else
    verdict = judge_searched(search, rank);
  verdict.name = candidates.names[rank];
  return verdict;
}

std::vector<UsedTest> log(const Search& search) {
  std::vector<UsedTest> tests(search.ledger().used_count());
  for (const auto& [key, entry] : search.ledger().entries()) {
    if (!entry.used) continue;
    UsedTest& test = tests[entry.order];
    test.feature = search.candidates().names[key.feature];
    test.evidence = evidence(search, key, entry.result);
    test.evidence.result.null_histogram = {};
    test.stage = entry.stage;
    const Outcome outcome = search.rule().outcome(key, entry.result);
    if (outcome != Outcome::undecided) test.dependent = outcome == Outcome::dependent;
  }
  return tests;
}

std::vector<std::string> notes(const Search& search, const SearchOptions& options, const Blanket& blanket) {
  std::vector<std::string> notes;
  if (blanket.partial)
    notes.push_back(
        fmt::format("partial: --max-tests {} ended the search in the stage '{}'; features shown as selected are "
                    "those not yet found redundant",
                    options.max_tests, blanket.stopped_in));
  if (options.no_children)
    notes.push_back(
        "--no-children: the selected features are the target's direct causes if no feature is caused by the "
        "target, there is no unmeasured common cause, and the Markov and faithfulness conditions hold");
  std::size_t not_re_tested = 0;
  for (const FeatureVerdict& f : blanket.features) {
    const bool selected = f.role != Role::excluded;
    not_re_tested += selected && !f.re_tested && f.same_as.empty();
    if (selected && f.reason == Reason::required && f.deciding &&
        search.rule().outcome({0, std::vector<std::size_t>(f.deciding->given.size())}, f.deciding->result) !=
            Outcome::dependent)
      notes.push_back(fmt::format("'{}' is kept because of --must; the tests alone would not keep it", f.name));
  }
  if (not_re_tested && !options.no_children && !options.no_shrink && !blanket.partial)
    notes.push_back(
        fmt::format("{} selected features were not re-tested: given all the others the conditioning set is larger "
                    "than the test has power for; some of them may be redundant",
                    not_re_tested));
  return notes;
}

}  // namespace

Blanket find_blanket(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts,
                     const SearchHooks& hooks) {
  Search search(test, options, facts, hooks);
  search.run();
  Blanket blanket;
  blanket.tests = search.ledger().used_count();
  blanket.log = log(search);
  blanket.partial = search.partial();
  if (blanket.partial) blanket.stopped_in = search.stage();
  for (std::size_t rank = 0; rank < search.candidates().size(); ++rank) {
    blanket.features.push_back(judge(search, rank));
    if (blanket.features.back().role != Role::excluded) blanket.members.push_back(blanket.features.back().name);
  }
  blanket.notes = notes(search, options, blanket);
  return blanket;
}

}  // namespace macmi
