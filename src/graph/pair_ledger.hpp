#pragma once
#include <chrono>
#include <compare>
#include <cstddef>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "macmi/graph.hpp"

namespace macmi::graph {

/// Thrown when the time of --budget is used up; caught inside learn_graph.
struct TimeUsedUp {};

/// Every test of one graph. The question whether a and b are independent given a set is the same for a search around a
/// and one around b: it is asked once. Nodes go by rank, their place in the order of names. Thread-safe.
class PairLedger {
 public:
  PairLedger(const PairCiTest& test, const std::string& budget, const GraphHooks& hooks);

  const std::vector<std::string>& names() const { return names_; }
  /// The outcome without its null distribution, made now where it was not before. `given` in any order.
  CiResult ask(std::size_t a, std::size_t b, std::vector<std::size_t> given);
  /// Tells the listener of a new stage, about which so many more tests are expected.
  void enter(const std::string& stage, std::size_t more);

  std::size_t count() const { return count_; }  ///< of tests; not while others ask
  const std::string& stage() const { return stage_; }

 private:
  struct Key {
    std::size_t a, b;  ///< a < b
    std::vector<std::size_t> given;
    // clang-tidy 14 takes the comparison for one with a null pointer.
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  CiResult make(const Key& key);
  void tell(const Key& key);

  const PairCiTest& test_;
  const GraphHooks& hooks_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::vector<std::string> names_;
  std::vector<std::size_t> index_of_;  ///< by rank, in test_.nodes()
  std::mutex mutex_;
  std::map<Key, std::shared_future<CiResult>> outcomes_;
  std::size_t count_ = 0, expected_ = 0;
  std::string stage_;
};

}  // namespace macmi::graph
