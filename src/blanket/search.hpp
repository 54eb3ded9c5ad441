#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "blanket/candidates.hpp"
#include "blanket/decision.hpp"
#include "blanket/light_search.hpp"
#include "blanket/test_ledger.hpp"

namespace macmi::blanket {

/// Of the candidates of a level under way, `passed` of which stayed so far while `fallen` others left: how many stay.
std::size_t entering_next_level(std::size_t candidates, std::size_t passed, std::size_t fallen);

/// A level of Algorithm 1 under way.
struct LevelSoFar {
  std::size_t size = 1;                ///< of its conditioning sets
  std::size_t ahead = 0, others = 0;   ///< candidates to come, and what the next one's sets are drawn from
  std::size_t passed = 0, fallen = 0;  ///< candidates that stayed and that fell
  std::size_t tests_of_fallen = 0;
};
/// The tests of it that are expected still.
double tests_of_level(const LevelSoFar& level);

/// Sweeps over all features given the members that are expected after the tests under way.
double sweeps_to_come(bool sweep_under_way, std::size_t sweeps_before);
/// Tests of members that are expected while the members change.
double repeats_given(std::size_t members);

/// One search: the sets as they develop. Features go by rank. Each step has its file: algorithm_1.cpp, shrink.cpp,
/// fixpoint.cpp, interchangeable.cpp.
class Search {
 public:
  Search(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts, const SearchHooks& hooks);

  /// Runs to the end, or until --max-tests or --budget are used up.
  void run();
  /// Runs to the end from an answer that was found on other samples: light_search.hpp.
  void run_from(const KnownAnswer& answer);

  const std::vector<std::size_t>& members() const { return members_; }  ///< ascending
  bool is_member(std::size_t rank) const;
  /// A member that no set of Algorithm 1 made independent of the target.
  bool is_adjacent(std::size_t rank) const;
  /// The test given all members but the feature itself.
  TestKey given_the_others(std::size_t rank) const;
  /// The answer of the tests alone for a member given the others.
  bool kept_by_tests(std::size_t rank) const;
  /// The p-value that a test had to reach.
  double level_of(const TestKey& key) const;
  /// The excluded features that could stand in the member's place.
  std::vector<std::size_t> interchangeable(std::size_t member) const;
  bool only_by_number(std::size_t rank) const { return by_number_.contains(rank); }

  const Candidates& candidates() const { return candidates_; }
  const TestLedger& ledger() const { return ledger_; }
  const DecisionRule& rule() const { return rule_; }
  const std::map<std::size_t, TestKey>& separated_by() const { return separated_by_; }
  /// Members that Algorithm 1's levels did not keep: the test they joined by.
  const std::map<std::size_t, TestKey>& joined_by() const { return joined_by_; }
  /// The surest pair that brought the member in and whose other feature is a member, too.
  std::optional<FeaturePartner> partner(std::size_t rank) const;
  bool partial() const { return partial_; }
  const std::string& stage() const { return stage_; }
  double joint_level() const { return joint_level_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Algorithm 1 (algorithm_1.cpp).
  void marginal_screen();
  void adjacent_level(std::size_t size);
  void find_co_parents();
  // Features that matter only together (partners.cpp).
  void join_partners();
  // Our shrink pass for the paper's procedure (shrink.cpp).
  void shrink();
  bool shrink_once();
  bool may_retest(const TestKey& key) const;
  // The fixpoint (fixpoint.cpp).
  void fixpoint();
  bool ask_again(double nearer);
  void ask(const std::vector<std::size_t>& ranks);
  bool asked(std::size_t rank) const;
  std::set<std::size_t> discovered_together();
  bool weaker(std::size_t a, std::size_t b) const;
  bool stronger(std::size_t a, std::size_t b) const;
  void join(const TestKey& by);
  void leave(std::size_t rank);
  void reach_number(std::size_t wanted);
  // From a known answer (light_search.cpp).
  std::size_t best_in_place_of(std::size_t member, const std::vector<std::size_t>& stand_ins);
  // Stand-ins (interchangeable.cpp).
  void find_interchangeable();
  std::vector<std::size_t> plausible_for(std::size_t member) const;

  bool dependent(const TestKey& key);
  bool independent(const TestKey& key);
  std::vector<std::size_t> searched() const;
  std::vector<std::size_t> outsiders() const;
  double marginal_effect(std::size_t rank) const;
  /// Tests of the stage under way that are still to come.
  struct LeftHere {
    std::size_t given = 0;  ///< how many are conditioned on
    std::size_t at_most = 0;
    double expected = 0;
  };
  static LeftHere all_of(std::size_t tests, std::size_t given) { return {given, tests, static_cast<double>(tests)}; }
  void announce(std::string stage, const LeftHere& here, TestForecast later = {});
  TestForecast from_level(std::size_t next_level) const;
  TestForecast after_asking(std::size_t features) const;
  bool is_sweep(std::size_t features) const;

  const SearchOptions& options_;
  Candidates candidates_;
  TestLedger ledger_;
  DecisionRule rule_;
  std::size_t shrink_limit_;
  std::vector<std::size_t> adj_;      ///< Algorithm 1's: strongest marginal effect first, ties by name
  std::vector<std::size_t> members_;  ///< ascending
  std::map<std::size_t, TestKey> separated_by_, joined_by_;
  std::vector<std::size_t> joined_pairs_;  ///< in candidates_.pairs
  /// The questions asked given the members, by rank: under which change of the members, and the p-value.
  struct Asked {
    std::size_t change = 0;
    double p = 1, z_score = 0;
  };
  std::map<std::size_t, Asked> asked_;
  std::size_t change_ = 1;
  std::set<std::size_t> left_once_;  ///< members that left
  std::set<std::size_t> by_number_;  ///< in or out only because of --n-features
  std::map<std::size_t, std::vector<std::size_t>> interchangeable_;
  double joint_level_ = std::numeric_limits<double>::quiet_NaN();
  LevelSoFar level_;        ///< the one under way
  std::size_t sweeps_ = 0;  ///< over all features given the members
  std::vector<std::string> notes_;
  bool partial_ = false;
  std::string stage_;
};

}  // namespace macmi::blanket
