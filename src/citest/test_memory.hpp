#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "citest/remainders/remainders.hpp"
#include "citest/shared_null.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The values that were asked for last, by name.
template <class Value>
class LastUsed {
 public:
  explicit LastUsed(std::size_t most) : most_(most) {}

  /// The value of that name, made where it is not there. Others wait meanwhile: they mostly want the same.
  std::shared_ptr<Value> get(const std::string& name, const std::function<std::shared_ptr<Value>()>& make) {
    const std::lock_guard lock(mutex_);
    auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == values_.end()) {
      if (values_.size() == most_) values_.pop_back();
      found = values_.insert(values_.end(), {name, make()});
    }
    std::rotate(values_.begin(), found, found + 1);
    return values_.front().second;
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<Value>>> values_;
};

}  // namespace macmi::citest

namespace macmi {

/// Intermediate results that tests on the same samples share (TestContext::memory).
class TestMemory {
 public:
  citest::LastUsed<citest::SharedNull> nulls{16};
  citest::LastUsed<const citest::ZTerms> terms{2};
  citest::LastUsed<const citest::TargetTerms> target_terms{2};
};

}  // namespace macmi
