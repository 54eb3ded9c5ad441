#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "blanket/test_ledger.hpp"

namespace macmi::blanket {

/// The tests of one level of Algorithm 1 (lines 6 to 13) in order: for every candidate, every subset of `size` of the
/// other members of Adj. A copy can run ahead to see which tests come next if no further candidate falls.
class LevelWalk {
 public:
  /// `candidates`: those to be tested, in order. `adj`: what conditioning sets are drawn from; subsets come in
  /// lexicographic order of its positions, so that sets of its first members, the strongest, are tried first.
  LevelWalk(std::vector<std::size_t> candidates, std::vector<std::size_t> adj, std::size_t size)
      : candidates_(std::move(candidates)), adj_(std::move(adj)), size_(size) {
    start_candidate();
  }

  bool done() const { return position_ == candidates_.size(); }
  const std::vector<std::size_t>& adj() const { return adj_; }
  std::size_t candidate() const { return candidates_[position_]; }

  TestKey current() const {
    TestKey key{candidate(), {}};
    for (const std::size_t i : chosen_) key.given.push_back(pool_[i]);
    std::sort(key.given.begin(), key.given.end());
    return key;
  }

  /// This test and those after it if nothing falls, `count` at most.
  std::vector<TestKey> next_tests(std::size_t count) const {
    std::vector<TestKey> keys;
    for (LevelWalk ahead = *this; keys.size() < count && !ahead.done(); ahead.survived())
      keys.push_back(ahead.current());
    return keys;
  }

  /// With the one whose turn it is.
  std::size_t candidates_left() const { return candidates_.size() - position_; }

  /// Roughly, for progress: if nothing falls, and every candidate starts from its first subset.
  std::size_t tests_left() const {
    double subsets = 1;
    for (std::size_t i = 0; i < size_; ++i)
      subsets *= (static_cast<double>(pool_.size()) - static_cast<double>(i)) / (static_cast<double>(i) + 1);
    return static_cast<std::size_t>(std::min(subsets * static_cast<double>(candidates_left()), 9e15));
  }

  /// The candidate survived this test: on to its next subset, or to the next candidate.
  void survived() {
    if (next_subset()) return;
    ++position_;
    start_candidate();
  }

  /// The candidate is redundant: it leaves Adj at once, so that later candidates are not conditioned on it.
  void removed() {
    adj_.erase(std::find(adj_.begin(), adj_.end(), candidate()));
    ++position_;
    start_candidate();
  }

 private:
  void start_candidate() {
    for (; !done(); ++position_) {
      pool_ = adj_;
      pool_.erase(std::find(pool_.begin(), pool_.end(), candidate()));
      if (pool_.size() < size_) continue;
      chosen_.resize(size_);
      for (std::size_t i = 0; i < size_; ++i) chosen_[i] = i;
      return;
    }
  }

  bool next_subset() {
    for (std::size_t i = size_; i-- > 0;) {
      if (chosen_[i] + size_ - i == pool_.size()) continue;
      ++chosen_[i];
      for (std::size_t j = i + 1; j < size_; ++j) chosen_[j] = chosen_[j - 1] + 1;
      return true;
    }
    return false;
  }

  std::vector<std::size_t> candidates_, adj_;
  std::size_t size_;
  std::size_t position_ = 0;
  std::vector<std::size_t> pool_;    ///< adj without the candidate
  std::vector<std::size_t> chosen_;  ///< positions in pool_, ascending
};

}  // namespace macmi::blanket
