// The state that all steps of a search share, and the order of the steps.
#include "blanket/search.hpp"

#include <algorithm>
#include <cmath>

#include "macmi/error.hpp"

namespace macmi::blanket {

Search::Search(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts,
               const SearchHooks& hooks)
    : options_(options),
      candidates_(prepare_candidates(test, options, facts)),
      ledger_(test, candidates_.index_of, options, hooks),
      rule_{options.alpha, options.min_cmi, options.asks_all_together(), {}},
      shrink_limit_(options.shrink_limit ? options.shrink_limit : facts.power_limit) {
  const std::size_t possible = searched().size();
  if (options.n_features > possible)
    throw InputError("--n-features " + std::to_string(options.n_features) + ": only " + std::to_string(possible) +
                     " features can be selected");
  if (options.n_features && options.must.size() > options.n_features)
    throw InputError("--n-features " + std::to_string(options.n_features) + ": --must names more features than that");
}

void Search::run() {
  try {
    marginal_screen();
    for (std::size_t size = 1; size <= options_.delta && size < adj_.size(); ++size) adjacent_level(size);
    join_partners();
    if (!options_.no_children || !joined_pairs_.empty()) {
      if (options_.asks_all_together()) {
        fixpoint();
      } else {
        find_co_parents();
        if (!options_.no_shrink) shrink();
      }
    }
    if (options_.n_features) reach_number(options_.n_features);
    if (options_.asks_all_together()) find_interchangeable();
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

bool Search::is_member(std::size_t rank) const {
  return std::binary_search(members_.begin(), members_.end(), rank);
}

/// A feature that the screen set aside only because so many were asked was never found independent.
bool Search::is_adjacent(std::size_t rank) const {
  if (!is_member(rank)) return false;
  if (options_.no_children) return true;
  if (std::find(adj_.begin(), adj_.end(), rank) != adj_.end()) return true;
  const auto separated = separated_by_.find(rank);
  return separated == separated_by_.end() || rule_.at_alpha(*ledger_.used(separated->second)) == Outcome::dependent;
}

TestKey Search::given_the_others(std::size_t rank) const {
  TestKey key{rank, members_};
  std::erase(key.given, rank);
  return key;
}

bool Search::kept_by_tests(std::size_t rank) const {
  const TestKey key = given_the_others(rank);
  const CiResult* result = ledger_.used(key);
  if (result == nullptr) return true;
  return rule_.at_alpha(*result) == Outcome::dependent && !(rule_.joint_p(*result) > level_of(key));
}

double Search::level_of(const TestKey& key) const {
  if (std::isnan(joint_level_) || key != given_the_others(key.feature)) return rule_.alpha;
  return joint_level_;
}

std::vector<std::size_t> Search::interchangeable(std::size_t member) const {
  const auto found = interchangeable_.find(member);
  return found == interchangeable_.end() ? std::vector<std::size_t>() : found->second;
}

std::vector<std::size_t> Search::searched() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < candidates_.size(); ++rank)
    if (candidates_.searched(rank)) ranks.push_back(rank);
  return ranks;
}

std::vector<std::size_t> Search::outsiders() const {
  std::vector<std::size_t> ranks = searched();
  std::erase_if(ranks, [&](std::size_t rank) { return is_member(rank); });
  return ranks;
}

double Search::marginal_effect(std::size_t rank) const {
  const CiResult* marginal = ledger_.used({rank, {}});
  return marginal == nullptr || std::isnan(marginal->effect) ? 0.0 : marginal->effect;
}

/// The work after the levels before `next_level`, with the one of Algorithm 1 under way if there is one.
TestForecast Search::from_level(std::size_t next_level) const {
  const std::size_t all = searched().size();
  if (next_level == 0) return forecast_tests(all, all, 0, options_);
  const double passed = static_cast<double>(level_.passed) + 1, fallen = static_cast<double>(level_.fallen) + 1;
  const std::size_t entering = entering_next_level(members_.size(), level_.passed, level_.fallen);
  return forecast_tests(all, entering, next_level, options_, passed / (passed + fallen));
}

/// The work after the question that the fixpoint asks of so many features.
TestForecast Search::after_asking(std::size_t features) const {
  const std::size_t all = searched().size();
  TestForecast forecast;
  forecast.by_level.resize(members_.size() + 1);
  forecast.by_level.back() =
      sweeps_to_come(is_sweep(features), sweeps_) * static_cast<double>(all) + repeats_given(members_.size());
  forecast.expected = static_cast<std::size_t>(forecast.by_level.back());
  forecast.at_most = std::max(forecast.expected, 4 * all);
  return forecast;
}

/// All features are asked, or nearly all.
bool Search::is_sweep(std::size_t features) const {
  return 2 * features > searched().size();
}

void Search::announce(std::string stage, const LeftHere& here, TestForecast later) {
  stage_ = stage;
  ledger_.enter(stage);
  if (!ledger_.has_listener()) return;
  SearchProgress progress{std::move(stage), ledger_.used_count(), 0, 0, members_.size()};
  if (ledger_.used_count() == 0) progress.candidates = searched().size();
  progress.expected = progress.finished + static_cast<std::size_t>(here.expected) + later.expected;
  progress.at_most = progress.finished + here.at_most + later.at_most;
  later.by_level.resize(std::max(later.by_level.size(), here.given + 1));
  later.by_level[here.given] += here.expected;
  progress.seconds_left = ledger_.seconds_for(later.by_level);
  ledger_.announce(progress);
}

}  // namespace macmi::blanket
