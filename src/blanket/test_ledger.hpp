#pragma once
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "macmi/blanket.hpp"

namespace macmi {

/// A test by the ranks of its features in the order of names; `given` ascending.
struct TestKey {
  std::size_t feature = 0;
  std::vector<std::size_t> given;
  auto operator<=>(const TestKey&) const = default;
};

/// Thrown by TestLedger::use when --max-tests are used up; caught inside find_blanket.
struct TestsUsedUp {};

/// Every test of one search: made once, kept, and marked as used when the algorithm asks for its outcome. Tests that
/// were evaluated ahead in vain stay unused: they are no evidence and do not count, so that the number of threads cannot
/// be seen in the result.
class TestLedger {
 public:
  struct Entry {
    CiResult result;
    bool used = false;
  };

  /// `index_of[rank]` is the feature's index in test.features().
  TestLedger(const TargetCiTest& test, std::vector<std::size_t> index_of, const SearchOptions& options,
             const SearchHooks& hooks);

  /// The outcome of a test, evaluated now if it was not ahead.
  const CiResult& use(const TestKey& key);
  /// Evaluates those that are not known yet, in parallel.
  void evaluate(std::span<const TestKey> keys);
  bool known(const TestKey& key) const { return entries_.count(key) != 0; }
  /// The test's outcome if the algorithm has used it.
  const CiResult* used(const TestKey& key) const;

  /// How many tests to evaluate ahead when the next ones are a guess; no more than --max-tests still allow.
  std::size_t look_ahead() const;
  std::size_t used_count() const { return used_count_; }
  const std::map<TestKey, Entry>& entries() const { return entries_; }

  bool has_listener() const { return static_cast<bool>(hooks_.on_progress); }
  /// The stage and forecast that on_progress hears from now on. Throws Cancelled if the caller wants to stop.
  void announce(const SearchProgress& progress);

 private:
  CiResult run(const TestKey& key) const;
  void start(const TestKey& key);
  void report(const TestKey& key, const CiResult& result);
  void tell_progress();

  const TargetCiTest& test_;
  std::vector<std::size_t> index_of_;
  std::size_t max_tests_;
  std::size_t threads_;
  const SearchHooks& hooks_;
  std::map<TestKey, Entry> entries_;
  std::size_t used_count_ = 0;
  std::mutex reporting_;
  SearchProgress progress_;      ///< as announced, and the test begun last
  std::size_t batch_done_ = 0;   ///< tests finished since it was announced
};

}  // namespace macmi
