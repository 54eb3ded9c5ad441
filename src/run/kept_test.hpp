#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "macmi/run.hpp"
#include "run/journal.hpp"

namespace macmi::run {

/// The tests of a run under its present test options: those stored before, and those that come.
class KeptTests {
 public:
  /// The journal must outlive it.
  KeptTests(Journal& journal, std::uint64_t context);

  std::unique_ptr<TargetCiTest> keep(const TargetCiTest& inner);
  /// From the store, gone on with, or made by `inner`. `begun`: the test as this process made it before; it counts
  /// where the store had none when it was opened. Thread-safe.
  CiResult test(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given,
                const CiResult* begun = nullptr);
  /// True where that takes it from the store as it is.
  bool stored(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given) const;
  RunTests counts() const;

 private:
  using Key = std::pair<std::string, std::vector<std::string>>;  ///< feature, conditioning set
  /// The journal's entries on one test: permutations that any rules can go on from, and outcomes that belong
  /// to the rules they were judged by (CiResult::judged_by).
  struct StoredOutcomes {
    std::optional<CiResult> begun = {};
    std::vector<CiResult> judged = {};
  };
  static std::optional<CiResult> answer(const TargetCiTest& inner, const StoredOutcomes& outcomes);
  static Key key_of(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given);
  void store(Key key, CiResult result, double seconds);

  Journal& journal_;
  std::uint64_t context_;
  std::map<Key, StoredOutcomes> stored_;  ///< not changed once read
  double seconds_each_ = 0;
  std::atomic<std::size_t> reused_ = 0, continued_ = 0, made_ = 0;
};

}  // namespace macmi::run
