#include "run/kept_test.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace macmi::run {
namespace {

class KeptTest final : public TargetCiTest {
 public:
  KeptTest(KeptTests& tests, const TargetCiTest& inner) : tests_(tests), inner_(inner) {}
  std::span<const std::string> features() const override { return inner_.features(); }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    return tests_.test(inner_, x, given);
  }
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override {
    return tests_.test(inner_, x, given, &earlier);
  }
  bool stored(std::size_t x, std::span<const std::size_t> given) const override {
    return tests_.stored(inner_, x, given);
  }

 private:
  KeptTests& tests_;
  const TargetCiTest& inner_;
};

std::size_t drawn(const CiResult& result) {
  return result.null.looks.empty() ? 0 : result.null.looks.back().drawn;
}

}  // namespace

KeptTests::KeptTests(Journal& journal, std::uint64_t context) : journal_(journal), context_(context) {
  double seconds = 0;
  std::size_t timed = 0;
  for (StoredTest& test : journal.tests(context)) {
    seconds += test.seconds;
    ++timed;
    StoredOutcomes& outcomes = stored_[{std::move(test.feature), std::move(test.given)}];
    if (test.result.judged_by.empty())
      outcomes.begun = std::move(test.result);  // one that was gone on with is there several times, the longest last
    else
      outcomes.judged.push_back(std::move(test.result));
  }
  if (timed > 0) seconds_each_ = seconds / static_cast<double>(timed);
}

std::unique_ptr<TargetCiTest> KeptTests::keep(const TargetCiTest& inner) {
  return std::make_unique<KeptTest>(*this, inner);
}

KeptTests::Key KeptTests::key_of(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given) {
  const std::span<const std::string> names = inner.features();
  Key key{names[x], {}};
  for (const std::size_t feature : given) key.second.push_back(names[feature]);
  std::sort(key.second.begin(), key.second.end());
  return key;
}

/// An outcome that answers as it is: no permutation would be drawn under the rules of `inner`.
std::optional<CiResult> KeptTests::answer(const TargetCiTest& inner, const StoredOutcomes& outcomes) {
  for (const CiResult& judged : outcomes.judged)
    if (std::optional<CiResult> same = inner.decided(judged)) return same;
  if (!outcomes.begun) return std::nullopt;
  // Baselines and constants, which know no rules, answer the same under all of them.
  return outcomes.begun->null.looks.empty() ? outcomes.begun : inner.decided(*outcomes.begun);
}

bool KeptTests::stored(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given) const {
  const auto found = stored_.find(key_of(inner, x, given));
  return found != stored_.end() && answer(inner, found->second);
}

CiResult KeptTests::test(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given,
                         const CiResult* begun) {
  Key key = key_of(inner, x, given);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto found = stored_.find(key);
  const bool asked_first = begun == nullptr;  // else the question itself was counted before
  if (found != stored_.end()) {
    if (std::optional<CiResult> known = answer(inner, found->second)) {
      if (asked_first) ++reused_;
      return *std::move(known);
    }
    if (found->second.begun) begun = &*found->second.begun;
  }
  CiResult result = begun ? inner.test_again(x, given, *begun) : inner.test(x, given);
  const bool goes_on = begun && begun->judged_by.empty() && result.judged_by.empty();
  if (asked_first) ++(goes_on ? continued_ : made_);
  if (!goes_on || drawn(result) > drawn(*begun)) store(std::move(key), result, seconds());
  return result;
}

void KeptTests::store(Key key, CiResult result, double seconds) {
  journal_.append({context_, std::move(key.first), std::move(key.second), seconds, std::move(result)});
}

RunTests KeptTests::counts() const {
  return {stored_.size(), reused_.load(), continued_.load(), made_.load(), seconds_each_};
}

}  // namespace macmi::run
