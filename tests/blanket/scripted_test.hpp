#pragma once
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::testing {

/// A test whose answers are pseudo-random functions of the names: it makes the search take every turn, and tells how
/// often it was asked what. `independence` is the share of tests that say "independent"; it grows with the set.
class ScriptedTest : public TargetCiTest {
 public:
  ScriptedTest(std::vector<std::string> names, std::uint64_t seed, double independence = 0.02)
      : names_(std::move(names)), seed_(seed), independence_(independence) {}

  std::span<const std::string> features() const override { return names_; }

  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    std::vector<std::string> set;
    for (const std::size_t g : given) set.push_back(names_[g]);
    std::sort(set.begin(), set.end());
    {
      const std::lock_guard lock(counting_);
      ++asked_[{names_[x], set}];
    }
    return answer(names_[x], set);
  }

  CiResult answer(const std::string& name, const std::vector<std::string>& set) const {
    base::StreamKey key = base::StreamKey(seed_).with(name);
    for (const std::string& s : set) key = key.with(s);
    base::RandomStream random(key);
    CiResult r;
    r.p_value = random.uniform() < independence_ * static_cast<double>(1 + set.size()) ? random.uniform(0.05001, 1)
                                                                                       : random.uniform(0, 0.05);
    r.effect = random.uniform(0, 0.2);
    r.statistic = r.effect + 0.01;
    r.n = 100;
    return r;
  }

  std::map<std::pair<std::string, std::vector<std::string>>, int> asked() const { return asked_; }

 private:
  std::vector<std::string> names_;
  std::uint64_t seed_;
  double independence_;
  mutable std::mutex counting_;
  mutable std::map<std::pair<std::string, std::vector<std::string>>, int> asked_;
};

}  // namespace macmi::testing
