// From the state of a finished search to what the user is told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blanket/search.hpp"

namespace macmi::blanket {
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

/// True if the algorithm used this test and the test could be made.
bool made(const Search& search, const TestKey& key) {
  const CiResult* result = search.ledger().used(key);
  return result != nullptr && !std::isnan(result->p_value);
}

std::optional<Evidence> deciding_test(const Search& search, std::size_t rank, Role role, const UsedTests& tests) {
  const TestKey others = search.given_the_others(rank);
  const auto used = [&](const TestKey& key) { return evidence(search, key, *search.ledger().used(key)); };
  if (role == Role::excluded) {
    const auto separated = search.separated_by().find(rank);
    if (separated == search.separated_by().end()) return std::nullopt;
    // The screen may have set it aside only because so many were asked: the answer came given the members.
    const bool dependent = search.rule().at_alpha(*search.ledger().used(separated->second)) == Outcome::dependent;
    return used(dependent && made(search, others) ? others : separated->second);
  }
  if (made(search, others)) return used(others);
  const auto joined = search.joined_by().find(rank);
  return joined == search.joined_by().end() ? weakest(search, tests) : used(joined->second);
}

/// The level that a test's p-value can miss; 0 where Benjamini-Hochberg over the marginal screen had no fixed one.
double near_level(const Search& search, const TestKey& key) {
  return search.rule().fdr && key.given.empty() ? 0 : search.level_of(key);
}

void add_near_misses(const Search& search, const UsedTests& tests, FeatureVerdict& verdict) {
  std::vector<std::pair<double, std::size_t>> distance;
  const DecisionRule& rule = search.rule();
  for (std::size_t t = 0; t < tests.size(); ++t)
    if (const double level = near_level(search, *tests[t].first); rule.near_miss(level, *tests[t].second))
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
  verdict.role = search.is_adjacent(rank) ? Role::adjacent : search.is_member(rank) ? Role::co_parent : Role::excluded;
  const UsedTests tests = used_tests(search, rank);
  verdict.tests = tests.size();
  if (search.candidates().must[rank])
    verdict.reason = Reason::required;
  else if (tests.empty())
    verdict.reason = Reason::not_reached;
  else if (search.only_by_number(rank))
    verdict.reason = Reason::number_asked;
  verdict.deciding = deciding_test(search, rank, verdict.role, tests);
  if (verdict.reason == Reason::tested && verdict.role == Role::excluded && verdict.deciding) {
    const CiResult& result = verdict.deciding->result;
    if (search.rule().at_alpha(result) == Outcome::dependent)
      verdict.reason = Reason::too_weak;
    else if (result.undecidable)
      verdict.reason = Reason::undecidable;
  }
  if (const CiResult* marginal = search.ledger().used({rank, {}})) verdict.marginal = *marginal;
  verdict.interchangeable = names_of(search, search.interchangeable(rank));
  if (verdict.role != Role::excluded)
    verdict.re_tested = made(search, search.given_the_others(rank));
  else if (verdict.deciding)
    verdict.separating_set = verdict.deciding->given;
  verdict.partner = search.partner(rank);
  add_near_misses(search, tests, verdict);
  return verdict;
}

/// A copy shows its representative's tests; the copy itself was not tested.
FeatureVerdict judge_copy(const Search& search, std::size_t rank) {
  const Candidates& candidates = search.candidates();
  const std::size_t original = candidates.representative[rank];
  FeatureVerdict verdict = judge_searched(search, original);
  verdict.tests = 0;
  verdict.interchangeable.clear();
  verdict.partner.reset();
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

/// Exact copies of a member stand in for it without a test.
void add_copies(const Search& search, std::size_t rank, FeatureVerdict& verdict) {
  const Candidates& candidates = search.candidates();
  if (verdict.role == Role::excluded || !verdict.same_as.empty()) return;
  for (std::size_t copy = 0; copy < candidates.size(); ++copy)
    if (copy != rank && candidates.representative[copy] == rank && !candidates.must[copy] && !candidates.never[copy])
      verdict.interchangeable.push_back(candidates.names[copy]);
  std::sort(verdict.interchangeable.begin(), verdict.interchangeable.end());
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
    test.evidence.result.null = {};
    test.stage = entry.stage;
    const Outcome outcome = search.rule().outcome(key, entry.result);
    if (outcome != Outcome::undecided) test.dependent = outcome == Outcome::dependent;
  }
  return tests;
}

/// True if a feature of --must would have been kept by its deciding test as well.
bool kept_without_must(const Search& search, std::size_t rank, const FeatureVerdict& verdict) {
  if (!verdict.deciding) return true;
  if (verdict.re_tested) return search.kept_by_tests(rank);
  return search.rule().at_alpha(verdict.deciding->result) == Outcome::dependent;
}

std::string what_ended_it(const Search& search, const SearchOptions& options) {
  if (options.max_tests && search.ledger().used_count() >= options.max_tests)
    return fmt::format("--max-tests {}", options.max_tests);
  return fmt::format("--budget {}", options.budget);
}

std::vector<std::string> notes(const Search& search, const SearchOptions& options, const Blanket& blanket) {
  std::vector<std::string> notes = search.notes();
  if (blanket.partial)
    notes.push_back(
        fmt::format("partial: {} ended the search in the stage '{}'; features shown as selected are those "
                    "not yet found redundant",
                    what_ended_it(search, options), blanket.stopped_in));
  if (!options.budget.empty() && blanket.partial)
    notes.push_back("where --budget ends a search depends on the speed of the machine: another run may differ");
  if (options.no_children)
    notes.push_back(
        "--no-children: the selected features are the target's direct causes if no feature is caused by the "
        "target, there is no unmeasured common cause, and the Markov and faithfulness conditions hold");
  std::size_t not_re_tested = 0;
  for (std::size_t rank = 0; rank < blanket.features.size(); ++rank) {
    const FeatureVerdict& f = blanket.features[rank];
    const bool selected = f.role != Role::excluded;
    not_re_tested += selected && !f.re_tested && f.same_as.empty();
    if (selected && f.reason == Reason::required && f.same_as.empty() && !kept_without_must(search, rank, f))
      notes.push_back(fmt::format("'{}' is kept because of --must; the tests alone would not keep it", f.name));
  }
  if (not_re_tested && !options.no_children && !options.asks_all_together() && !options.no_shrink && !blanket.partial)
    notes.push_back(
        fmt::format("{} selected features were not re-tested: given all the others the conditioning set is larger "
                    "than the test has power for; some of them may be redundant",
                    not_re_tested));
  return notes;
}

}  // namespace
}  // namespace macmi::blanket

namespace macmi {

Blanket find_blanket(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts,
                     const SearchHooks& hooks) {
  blanket::Search search(test, options, facts, hooks);
  search.run();
  Blanket blanket;
  blanket.tests = search.ledger().used_count();
  blanket.log = blanket::log(search);
  blanket.partial = search.partial();
  if (blanket.partial) blanket.stopped_in = search.stage();
  blanket.joint_level = search.joint_level();
  for (std::size_t rank = 0; rank < search.candidates().size(); ++rank) {
    blanket.features.push_back(blanket::judge(search, rank));
    blanket::add_copies(search, rank, blanket.features.back());
    if (blanket.features.back().role != Role::excluded) blanket.members.push_back(blanket.features.back().name);
  }
  blanket.notes = blanket::notes(search, options, blanket);
  return blanket;
}

}  // namespace macmi
