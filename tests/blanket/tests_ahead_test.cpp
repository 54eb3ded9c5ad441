#include "blanket/tests_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>

#include "macmi/error.hpp"

namespace macmi::blanket {
namespace {

std::vector<TestKey> keys(std::size_t first, std::size_t last) {
  std::vector<TestKey> all;
  for (std::size_t f = first; f < last; ++f) all.push_back({f, {}});
  return all;
}

CiResult number(const TestKey& key) {
  CiResult result;
  result.statistic = static_cast<double>(key.feature);
  return result;
}

TEST(TestsAhead, GivesEveryOutcomePlannedOrNot) {
  TestsAhead ahead(3, number);
  ahead.plan(keys(0, 50));
  for (std::size_t f = 60; f-- > 0;) EXPECT_EQ(ahead.take({f, {}}).statistic, static_cast<double>(f));
}

TEST(TestsAhead, ALongTestKeepsNobodyWaiting) {
  std::promise<void> end;
  const std::shared_future<void> long_test = end.get_future().share();
  std::promise<void> all_others;
  std::atomic<int> made = 0;
  TestsAhead ahead(2, [&](const TestKey& key) {
    if (key.feature == 0)
      long_test.wait();
    else if (++made == 40)
      all_others.set_value();
    return number(key);
  });
  ahead.plan(keys(0, 41));
  all_others.get_future().wait();  // for ever, if they came in batches
  end.set_value();
  EXPECT_EQ(ahead.take({0, {}}).statistic, 0);
}

TEST(TestsAhead, WhatIsForgottenBeforeItBeganIsNotMade) {
  std::promise<void> begun, end;
  std::set<std::size_t> made;
  {
    TestsAhead ahead(1, [&](const TestKey& key) {
      if (key.feature == 0) {
        begun.set_value();
        end.get_future().wait();
      }
      made.insert(key.feature);
      return number(key);
    });
    ahead.plan(keys(0, 10));
    begun.get_future().wait();
    EXPECT_EQ(ahead.waiting(), 9u);
    ahead.plan(keys(0, 2));
    EXPECT_EQ(ahead.waiting(), 1u) << "what is under way is not planned again";
    ahead.forget_plan();
    end.set_value();
    EXPECT_EQ(ahead.take({20, {}}).statistic, 20);
  }
  EXPECT_EQ(made, (std::set<std::size_t>{0, 20}));
}

TEST(TestsAhead, AFailureReachesOnlyWhoeverNeedsThatTest) {
  TestsAhead ahead(2, [](const TestKey& key) {
    if (key.feature == 3) throw InputError("three is not tested");
    return number(key);
  });
  ahead.plan(keys(0, 8));
  for (const std::size_t f : {0, 7, 4}) EXPECT_EQ(ahead.take({f, {}}).statistic, static_cast<double>(f));
  EXPECT_THROW(ahead.take({3, {}}), InputError);
}

TEST(TestsAhead, CancellingOneTestEndsTheWaitForAnother) {
  std::promise<void> end;
  const std::shared_future<void> long_test = end.get_future().share();
  TestsAhead ahead(2, [&](const TestKey& key) {
    if (key.feature == 1) throw Cancelled();
    long_test.wait();
    return number(key);
  });
  ahead.plan(keys(0, 2));
  EXPECT_THROW(ahead.take({0, {}}), Cancelled);
  end.set_value();
}

}  // namespace
}  // namespace macmi::blanket
