#include "run/kept_test.hpp"

#include <algorithm>
#include <chrono>

namespace macmi {
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
    // A test that was gone on with is there several times, the longest last.
    stored_.insert_or_assign({std::move(test.feature), std::move(test.given)}, std::move(test.result));
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

bool KeptTests::stored(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given) const {
  const auto found = stored_.find(key_of(inner, x, given));
  return found != stored_.end() && (found->second.null.looks.empty() || inner.decided(found->second));
}

CiResult KeptTests::test(const TargetCiTest& inner, std::size_t x, std::span<const std::size_t> given,
                         const CiResult* begun) {
  Key key = key_of(inner, x, given);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto found = stored_.find(key);
  if (found == stored_.end() && begun != nullptr) {
    CiResult result = inner.test_again(x, given, *begun);
    if (drawn(result) > drawn(*begun)) store(std::move(key), result, seconds());
    return result;
  }
  if (found == stored_.end()) {
    CiResult result = inner.test(x, given);
    ++made_;
    store(std::move(key), result, seconds());
    return result;
  }
  const CiResult& earlier = found->second;
  if (earlier.null.looks.empty()) {  // a test without permutations says the same under every rule
    if (begun == nullptr) ++reused_;
    return earlier;
  }
  CiResult result = inner.test_again(x, given, earlier);
  const bool went_on = result.null != earlier.null;
  if (begun == nullptr) ++(went_on ? continued_ : reused_);  // the question itself was counted before
  if (drawn(result) > drawn(earlier)) store(std::move(key), result, seconds());
  return result;
}

void KeptTests::store(Key key, CiResult result, double seconds) {
  journal_.append({context_, std::move(key.first), std::move(key.second), seconds, std::move(result)});
}

RunTests KeptTests::counts() const {
  return {stored_.size(), reused_.load(), continued_.load(), made_.load(), seconds_each_};
}

}  // namespace macmi
