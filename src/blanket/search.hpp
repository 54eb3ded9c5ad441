#pragma once
#include <map>
#include <string>
#include <vector>

#include "blanket/candidates.hpp"
#include "blanket/decision.hpp"
#include "blanket/level_walk.hpp"
#include "blanket/test_ledger.hpp"

namespace macmi {

/// One search: the sets of Algorithm 1 as they develop. Features go by rank.
class Search {
 public:
  Search(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts, const SearchHooks& hooks);

  /// Runs to the end, or until --max-tests are used up.
  void run();

  bool is_adjacent(std::size_t rank) const;
  bool is_co_parent(std::size_t rank) const;
  std::vector<std::size_t> members() const;  ///< ascending
  /// The test of a member given all the other members.
  TestKey given_the_others(std::size_t rank) const;

  const Candidates& candidates() const { return candidates_; }
  const TestLedger& ledger() const { return ledger_; }
  const DecisionRule& rule() const { return rule_; }
  const std::map<std::size_t, TestKey>& separated_by() const { return separated_by_; }
  const std::map<std::size_t, TestKey>& added_by() const { return added_by_; }  ///< co-parents: the test given Adj
  bool partial() const { return partial_; }
  const std::string& stage() const { return stage_; }

 private:
  void marginal_screen();
  void adjacent_level(std::size_t size);
  void find_co_parents();
  void shrink();
  bool shrink_once();
  bool dependent(const TestKey& key);
  bool independent(const TestKey& key);
  bool may_retest(const TestKey& key) const;
  void announce(std::string stage, std::size_t left_here, std::size_t next_level);

  const SearchOptions& options_;
  Candidates candidates_;
  TestLedger ledger_;
  DecisionRule rule_;
  std::size_t shrink_limit_;
  std::vector<std::size_t> adj_;         ///< strongest marginal effect first, ties by name
  std::vector<std::size_t> co_parents_;  ///< ascending
  std::map<std::size_t, TestKey> separated_by_, added_by_;
  bool partial_ = false;
  std::string stage_;
};

}  // namespace macmi
