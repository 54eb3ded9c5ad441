#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "blanket/test_key.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::blanket {

/// Makes tests on threads of its own while the search decides: as soon as a thread is free it begins the next test of
/// the plan, so no thread waits for the slowest test of a batch.
class TestsAhead {
 public:
  using Make = std::function<CiResult(const TestKey&)>;
  /// `make` is called from all threads at once.
  TestsAhead(std::size_t threads, Make make) : threads_(threads), make_(std::move(make)) {}
  /// Forgets what has not begun and waits for what has.
  ~TestsAhead();
  TestsAhead(const TestsAhead&) = delete;
  TestsAhead& operator=(const TestsAhead&) = delete;

  /// These and no others are to be begun next, in this order.
  void plan(const std::vector<TestKey>& keys);
  void forget_plan() { plan({}); }
  /// Tests of the plan that have not begun.
  std::size_t waiting() const;
  /// Takes a test out of the plan; false where it has begun.
  bool withdraw(const TestKey& key);
  /// The outcome of a test, begun now if it was not before; what it threw is thrown here. Once for every test. Throws
  /// Cancelled as soon as any test did.
  CiResult take(const TestKey& key);

 private:
  struct Outcome {
    CiResult result;
    std::exception_ptr error;
  };
  void work();
  Outcome outcome_of(const TestKey& key, bool& cancelled) const;
  void start_threads();

  std::size_t threads_;
  Make make_;
  mutable std::mutex mutex_;
  std::condition_variable planned_, finished_;
  std::deque<TestKey> plan_;
  std::set<TestKey> under_way_;
  std::map<TestKey, Outcome> outcomes_;  ///< not taken yet
  bool cancelled_ = false, leave_ = false;
  std::vector<std::jthread> crew_;
};

}  // namespace macmi::blanket
