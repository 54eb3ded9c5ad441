#include "blanket/tests_ahead.hpp"

#include <algorithm>

#include "macmi/error.hpp"

namespace macmi::blanket {

TestsAhead::~TestsAhead() {
  {
    const std::lock_guard lock(mutex_);
    leave_ = true;
  }
  planned_.notify_all();
  crew_.clear();
}

void TestsAhead::plan(const std::vector<TestKey>& keys) {
  {
    const std::lock_guard lock(mutex_);
    plan_.clear();
    for (const TestKey& key : keys)
      if (!under_way_.contains(key) && !outcomes_.contains(key)) plan_.push_back(key);
    if (!plan_.empty()) start_threads();
  }
  planned_.notify_all();
}

std::size_t TestsAhead::waiting() const {
  const std::lock_guard lock(mutex_);
  return plan_.size();
}

bool TestsAhead::withdraw(const TestKey& key) {
  const std::lock_guard lock(mutex_);
  std::erase(plan_, key);
  return !under_way_.contains(key) && !outcomes_.contains(key);
}

CiResult TestsAhead::take(const TestKey& key) {
  std::unique_lock lock(mutex_);
  if (!under_way_.contains(key) && !outcomes_.contains(key)) {  // nothing is needed sooner
    std::erase(plan_, key);
    plan_.push_front(key);
    start_threads();
    planned_.notify_one();
  }
  finished_.wait(lock, [&] { return outcomes_.contains(key) || cancelled_; });
  if (cancelled_) throw Cancelled();
  const Outcome outcome = std::move(outcomes_.extract(key).mapped());
  if (outcome.error) std::rethrow_exception(outcome.error);
  return outcome.result;
}

void TestsAhead::start_threads() {
  while (crew_.size() < threads_) crew_.emplace_back([this] { work(); });
}

void TestsAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    planned_.wait(lock, [&] { return leave_ || (!plan_.empty() && !cancelled_); });
    if (leave_) return;
    const TestKey key = std::move(plan_.front());
    plan_.pop_front();
    under_way_.insert(key);
    lock.unlock();
    bool cancelled = false;
    Outcome outcome = outcome_of(key, cancelled);
    lock.lock();
    under_way_.erase(key);
    outcomes_[key] = std::move(outcome);
    cancelled_ = cancelled_ || cancelled;
    finished_.notify_all();
  }
}

TestsAhead::Outcome TestsAhead::outcome_of(const TestKey& key, bool& cancelled) const {
  try {
    return {make_(key), nullptr};
  } catch (const Cancelled&) {
    cancelled = true;
    return {{}, std::current_exception()};
  } catch (...) {
    return {{}, std::current_exception()};
  }
}

}  // namespace macmi::blanket
