#include "blanket/test_ledger.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi {

TestLedger::TestLedger(const TargetCiTest& test, std::vector<std::size_t> index_of, const SearchOptions& options,
                       const SearchHooks& hooks)
    : test_(test),
      index_of_(std::move(index_of)),
      max_tests_(options.max_tests ? options.max_tests : std::numeric_limits<std::size_t>::max()),
      threads_(thread_count(options.threads)),
      hooks_(hooks) {
  std::vector<std::size_t> rank_of(test.features().size(), index_of_.size());
  for (std::size_t rank = 0; rank < index_of_.size(); ++rank) rank_of[index_of_[rank]] = rank;
  for (const TestRecord& record : hooks.known) {
    TestKey key{rank_of.at(record.feature), {}};
    for (const std::size_t index : record.given) key.given.push_back(rank_of.at(index));
    std::sort(key.given.begin(), key.given.end());
    entries_[key].result = record.result;
  }
}

const CiResult& TestLedger::use(const TestKey& key) {
  auto entry = entries_.find(key);
  if (entry != entries_.end() && entry->second.used) return entry->second.result;
  if (used_count_ == max_tests_) throw TestsUsedUp{};
  if (entry == entries_.end()) {
    evaluate({&key, 1});
    entry = entries_.find(key);
  }
  entry->second.used = true;
  ++used_count_;
  return entry->second.result;
}

const CiResult* TestLedger::used(const TestKey& key) const {
  const auto entry = entries_.find(key);
  return entry != entries_.end() && entry->second.used ? &entry->second.result : nullptr;
}

void TestLedger::evaluate(std::span<const TestKey> keys) {
  std::set<TestKey> distinct;
  for (const TestKey& key : keys)
    if (!known(key)) distinct.insert(key);
  const std::vector<TestKey> todo(distinct.begin(), distinct.end());
  std::vector<CiResult> results(todo.size());
  parallel_for(todo.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      start(todo[t]);
      results[t] = run(todo[t]);
      report(todo[t], results[t]);
    }
  });
  for (std::size_t t = 0; t < todo.size(); ++t) entries_[todo[t]].result = std::move(results[t]);
}

std::size_t TestLedger::look_ahead() const {
  // Two tests per thread keep the threads busy to the end of a batch; what a removal makes useless stays small.
  const std::size_t guess = threads_ == 1 ? 1 : 2 * threads_;
  return std::min(guess, max_tests_ - used_count_);
}

CiResult TestLedger::run(const TestKey& key) const {
  std::vector<std::size_t> given;
  for (const std::size_t rank : key.given) given.push_back(index_of_[rank]);
  return test_.test(index_of_[key.feature], given);
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
    TestRecord record{index_of_[key.feature], {}, result};
    for (const std::size_t rank : key.given) record.given.push_back(index_of_[rank]);
    hooks_.on_test(record);
  }
  ++batch_done_;
  tell_progress();
}

void TestLedger::announce(const SearchProgress& progress) {
  const std::lock_guard lock(reporting_);
  const bool new_stage = progress.stage != progress_.stage;
  SearchProgress next = progress;
  next.feature = std::move(progress_.feature);
  next.given = std::move(progress_.given);
  progress_ = std::move(next);
  batch_done_ = 0;
  if (new_stage) tell_progress();
}

void TestLedger::tell_progress() {
  if (!hooks_.on_progress) return;
  SearchProgress now = progress_;
  now.finished += batch_done_;
  now.expected = std::max(now.expected, now.finished);
  now.at_most = std::max(now.at_most, now.finished);
  if (!hooks_.on_progress(now)) throw Cancelled();
}

}  // namespace macmi
