#include "blanket/test_ledger.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi::blanket {
namespace {

/// Planned ahead, per thread: few where a feature fell just now and the next may fall soon, more and more while none
/// falls, so that one long test does not keep the other threads waiting.
constexpr std::size_t shortest_plan = 2, longest_plan = 8;

}  // namespace

TestLedger::TestLedger(const TargetCiTest& test, std::vector<std::size_t> index_of, const SearchOptions& options,
                       const SearchHooks& hooks)
    : test_(test),
      index_of_(std::move(index_of)),
      max_tests_(options.max_tests ? options.max_tests : std::numeric_limits<std::size_t>::max()),
      threads_(base::thread_count(options.threads)),
      hooks_(hooks) {
  if (const double seconds = budget_seconds(options.budget); seconds > 0)
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<std::size_t> rank_of(test.features().size(), index_of_.size());
  for (std::size_t rank = 0; rank < index_of_.size(); ++rank) rank_of[index_of_[rank]] = rank;
  for (const TestRecord& record : hooks.known) {
    TestKey key{rank_of.at(record.feature), {}};
    for (const std::size_t index : record.given) key.given.push_back(rank_of.at(index));
    std::sort(key.given.begin(), key.given.end());
    entries_[key].result = record.result;
  }
  if (threads_ > 1) ahead_ = std::make_unique<TestsAhead>(threads_, [this](const TestKey& key) { return make(key); });
}

const CiResult& TestLedger::use(const TestKey& key) {
  auto entry = entries_.find(key);
  if (entry != entries_.end() && entry->second.used) return entry->second.result;
  if (used_count_ == max_tests_) throw TestsUsedUp{};
  if (entry == entries_.end() && time_is_up()) throw TestsUsedUp{};
  if (entry == entries_.end()) entry = entries_.emplace(key, Entry{.result = outcome_of(key), .stage = {}}).first;
  entry->second.used = true;
  entry->second.order = used_count_++;
  entry->second.stage = stage_;
  return entry->second.result;
}

const CiResult* TestLedger::used(const TestKey& key) const {
  const auto entry = entries_.find(key);
  return entry != entries_.end() && entry->second.used ? &entry->second.result : nullptr;
}

void TestLedger::enter(const std::string& stage) {
  if (stage != stage_) rest_is_planned_ = false;
  stage_ = stage;
}

bool TestLedger::evaluate(std::span<const TestKey> keys) {
  std::set<TestKey> todo;
  std::size_t allowed = max_tests_ - used_count_;
  for (const TestKey& key : keys) {
    if (used(key) != nullptr) continue;
    if (allowed-- == 0) break;
    if (!entries_.contains(key)) todo.insert(key);
  }
  if (ahead_) ahead_->plan({todo.begin(), todo.end()});
  for (const TestKey& key : todo) {
    if (time_is_up()) {
      if (ahead_) ahead_->forget_plan();
      return false;
    }
    entries_[key].result = outcome_of(key);
  }
  return true;
}

void TestLedger::look_ahead(const TestKey& now, const NextTests& next_tests) {
  if (!ahead_ || rest_is_planned_) return;
  const std::size_t wanted =
      std::min(longest_plan * threads_, shortest_plan * threads_ + used_count_ - used_when_one_fell_);
  if (ahead_->waiting() >= wanted / 2 || entries_.contains(now) || stored(now)) return;
  const std::size_t count = std::min(wanted, max_tests_ - used_count_);
  std::vector<TestKey> plan = next_tests(count);
  rest_is_planned_ = plan.size() < count;
  std::erase_if(plan, [this](const TestKey& key) { return entries_.contains(key); });
  ahead_->plan(plan);
}

void TestLedger::forget_guesses() {
  if (!ahead_) return;
  ahead_->forget_plan();
  rest_is_planned_ = false;
  used_when_one_fell_ = used_count_;
  const std::lock_guard lock(reporting_);
  not_used_ = 0;
}

CiResult TestLedger::outcome_of(const TestKey& key) {
  const bool make_here = !ahead_ || (stored(key) && ahead_->withdraw(key));
  CiResult result = make_here ? make(key) : ahead_->take(key);
  const std::lock_guard lock(reporting_);
  if (not_used_ > 0) --not_used_;
  return result;
}

CiResult TestLedger::make(const TestKey& key) {
  start(key);
  const bool measure = hooks_.on_progress && !stored(key);
  const auto begin = std::chrono::steady_clock::now();
  CiResult result = test_.test(index_of_[key.feature], given_of(key));
  if (measure) {
    const std::lock_guard lock(reporting_);
    Measured& measured = measured_[key.given.size()];
    measured.tests += 1;
    measured.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  report(key, result);
  return result;
}

/// A size that was not measured is taken to cost what the nearest smaller one does, or else the nearest larger one.
double TestLedger::seconds_for(std::span<const double> tests_by_size) {
  const std::lock_guard lock(reporting_);
  if (measured_.empty()) return std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;
  for (std::size_t size = 0; size < tests_by_size.size(); ++size) {
    auto nearest = measured_.upper_bound(size);
    if (nearest != measured_.begin()) --nearest;
    seconds += tests_by_size[size] * nearest->second.seconds / nearest->second.tests;
  }
  return seconds / static_cast<double>(threads_);
}

bool TestLedger::stored(const TestKey& key) const {
  return test_.stored(index_of_[key.feature], given_of(key));
}

std::vector<std::size_t> TestLedger::given_of(const TestKey& key) const {
  std::vector<std::size_t> given;
  for (const std::size_t rank : key.given) given.push_back(index_of_[rank]);
  return given;
}

void TestLedger::start(const TestKey& key) {
  if (!hooks_.on_progress) return;
  const std::span<const std::string> names = test_.features();
  const std::lock_guard lock(reporting_);
  progress_.feature = names[index_of_[key.feature]];
  progress_.given.clear();
  for (const std::size_t rank : key.given) progress_.given.push_back(names[index_of_[rank]]);
  tell_progress();
}

void TestLedger::report(const TestKey& key, const CiResult& result) {
  if (!hooks_.on_test && !hooks_.on_progress) return;
  const std::lock_guard lock(reporting_);
  if (hooks_.on_test) {
    hooks_.on_test(TestRecord{index_of_[key.feature], given_of(key), result});
  }
  ++not_used_;
  tell_progress();
}

void TestLedger::announce(const SearchProgress& progress) {
  const std::lock_guard lock(reporting_);
  const bool new_stage = progress.stage != progress_.stage;
  SearchProgress next = progress;
  next.feature = std::move(progress_.feature);
  next.given = std::move(progress_.given);
  progress_ = std::move(next);
  if (new_stage) tell_progress();
}

void TestLedger::tell_progress() {
  if (!hooks_.on_progress) return;
  SearchProgress now = progress_;
  told_ = std::max(told_, now.finished + not_used_);
  now.finished = told_;
  now.expected = std::max(now.expected, now.finished);
  now.at_most = std::max(now.at_most, now.finished);
  if (!hooks_.on_progress(now)) throw Cancelled();
}

}  // namespace macmi::blanket
