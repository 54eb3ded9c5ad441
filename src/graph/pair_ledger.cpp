#include "graph/pair_ledger.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "macmi/error.hpp"

namespace macmi::graph {

PairLedger::PairLedger(const PairCiTest& test, const std::string& budget, const GraphHooks& hooks)
    : test_(test), hooks_(hooks), index_of_(test.nodes().size()) {
  using Clock = std::chrono::steady_clock;
  if (const double seconds = budget_seconds(budget); seconds > 0)
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::iota(index_of_.begin(), index_of_.end(), std::size_t{0});
  const auto nodes = test.nodes();
  std::sort(index_of_.begin(), index_of_.end(), [&](std::size_t a, std::size_t b) { return nodes[a] < nodes[b]; });
  for (const std::size_t index : index_of_) {
    if (!names_.empty() && names_.back() == nodes[index])
      throw InputError(fmt::format("two nodes are named '{}': give every column its own name", nodes[index]));
    names_.push_back(nodes[index]);
  }
}

CiResult PairLedger::ask(std::size_t a, std::size_t b, std::vector<std::size_t> given) {
  std::sort(given.begin(), given.end());
  const Key key{std::min(a, b), std::max(a, b), std::move(given)};
  std::promise<CiResult> mine;
  {
    std::unique_lock lock(mutex_);
    if (const auto found = outcomes_.find(key); found != outcomes_.end()) {
      const std::shared_future<CiResult> outcome = found->second;
      lock.unlock();
      return outcome.get();
    }
    if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) throw TimeUsedUp{};
    outcomes_.emplace(key, mine.get_future().share());
  }
  try {
    CiResult result = make(key);
    mine.set_value(result);
    return result;
  } catch (...) {
    mine.set_exception(std::current_exception());
    throw;
  }
}

CiResult PairLedger::make(const Key& key) {
  std::vector<std::size_t> given;
  for (const std::size_t rank : key.given) given.push_back(index_of_[rank]);
  CiResult result = test_.test(index_of_[key.a], index_of_[key.b], given);
  result.null = {};
  result.null_histogram = {};
  tell(key);
  return result;
}

void PairLedger::tell(const Key& key) {
  const std::lock_guard lock(mutex_);
  ++count_;
  if (!hooks_.on_progress) return;
  std::vector<std::string> given;
  for (const std::size_t rank : key.given) given.push_back(names_[rank]);
  const GraphProgress now{stage_, count_, std::max(expected_, count_),
                          fmt::format("{} and {}{}{}", names_[key.a], names_[key.b], given.empty() ? "" : " given ",
                                      fmt::join(given, ", "))};
  if (!hooks_.on_progress(now)) throw Cancelled();
}

void PairLedger::enter(const std::string& stage, std::size_t more) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  expected_ = count_ + more;
  if (hooks_.on_progress && !hooks_.on_progress({stage_, count_, expected_, ""})) throw Cancelled();
}

}  // namespace macmi::graph
