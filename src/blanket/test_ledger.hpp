#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blanket/test_key.hpp"
#include "blanket/tests_ahead.hpp"
#include "macmi/blanket.hpp"

namespace macmi::blanket {

/// Thrown by TestLedger::use when --max-tests or the time of --budget are used up; caught inside find_blanket.
struct TestsUsedUp {};

/// Every test of one search: made once, kept, and marked as used when the algorithm asks for its outcome. Tests that
/// were evaluated ahead in vain stay unused: they are no evidence and do not count, so that the number of threads
/// cannot be seen in the result.
class TestLedger {
 public:
  struct Entry {
    CiResult result;
    bool used = false;
    std::size_t order = 0;  ///< how many were used before it
    std::string stage;      ///< in which it was used first
  };

  /// `index_of[rank]` is the feature's index in test.features().
  TestLedger(const TargetCiTest& test, std::vector<std::size_t> index_of, const SearchOptions& options,
             const SearchHooks& hooks);

  /// The outcome of a test, evaluated now if it was not ahead.
  const CiResult& use(const TestKey& key);
  /// The stage that tests are used in from now on.
  void enter(const std::string& stage);
  /// Makes those that are not known yet, in parallel: they will all be used. False: the time was up before the last.
  bool evaluate(std::span<const TestKey> keys);
  bool known(const TestKey& key) const { return entries_.contains(key); }
  /// The first so many tests that will be used unless a feature falls, in order.
  using NextTests = std::function<std::vector<TestKey>(std::size_t count)>;
  /// Free threads begin with the tests that come next, `now` first; a guess that costs nothing but time when it is
  /// wrong. Where `now` is stored nothing is begun, so that a search that is repeated makes no test.
  void look_ahead(const TestKey& now, const NextTests& next_tests);
  /// A feature fell: other tests come next.
  void forget_guesses();
  /// The test's outcome if the algorithm has used it.
  const CiResult* used(const TestKey& key) const;

  std::size_t used_count() const { return used_count_; }
  const std::map<TestKey, Entry>& entries() const { return entries_; }

  /// Seconds for so many tests by the size of their conditioning set, on all threads, from those measured; NaN before.
  double seconds_for(std::span<const double> tests_by_size);

  bool has_listener() const { return static_cast<bool>(hooks_.on_progress); }
  /// The stage and forecast that on_progress hears from now on. Throws Cancelled if the caller wants to stop.
  void announce(const SearchProgress& progress);

 private:
  CiResult make(const TestKey& key);
  CiResult outcome_of(const TestKey& key);
  bool stored(const TestKey& key) const;
  std::vector<std::size_t> given_of(const TestKey& key) const;
  bool time_is_up() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }
  void start(const TestKey& key);
  void report(const TestKey& key, const CiResult& result);
  void tell_progress();

  const TargetCiTest& test_;
  std::vector<std::size_t> index_of_;
  std::size_t max_tests_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::size_t threads_;
  const SearchHooks& hooks_;
  std::map<TestKey, Entry> entries_;
  std::size_t used_count_ = 0;
  std::string stage_;
  std::size_t used_when_one_fell_ = 0;
  bool rest_is_planned_ = false;  ///< nothing comes after the tests planned ahead, unless a feature falls
  std::mutex reporting_;
  struct Measured {
    double tests = 0, seconds = 0;
  };
  std::map<std::size_t, Measured> measured_;  ///< by the size of the conditioning set; of tests that were not stored
  SearchProgress progress_;                   ///< as announced, and the test begun last
  std::size_t not_used_ = 0;                  ///< tests finished ahead of their use
  std::size_t told_ = 0;                      ///< the most finished tests that on_progress has heard of
  std::unique_ptr<TestsAhead> ahead_;         ///< nothing with one thread. Last: its threads use all of the above
};

}  // namespace macmi::blanket
