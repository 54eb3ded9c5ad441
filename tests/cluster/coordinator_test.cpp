#include "cluster/coordinator.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "base/parallel.hpp"
#include "cluster/thread_ranks.hpp"
#include "cluster/worker.hpp"

namespace macmi::cluster {
namespace {

/// A test whose outcome tells what was asked of whom.
class Echo final : public TargetCiTest {
 public:
  explicit Echo(std::string who) : who_(std::move(who)) {}
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    if (x == 13) throw InputError("thirteen is not tested");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CiResult result;
    result.statistic = static_cast<double>(x);
    for (const std::size_t g : given) result.effect = 100 * result.effect + static_cast<double>(g);
    result.null_histogram = {0.25, 0.75, {1, 2, 3}};
    result.rule = who_;
    return result;
  }
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override {
    CiResult result = test(x, given);
    result.statistic += earlier.statistic;
    return result;
  }
  std::optional<CiResult> decided(const CiResult& earlier) const override {
    return earlier.stopped == "decided" ? std::optional(earlier) : std::nullopt;
  }

 private:
  std::string who_;
  std::vector<std::string> names_ = std::vector<std::string>(20, "f");
};

/// Ranks 1 … as threads that serve until they are told to end.
class Team {
 public:
  explicit Team(int size) : network(size), coordinator_ranks(network, 0) {
    for (int rank = 1; rank < size; ++rank)
      workers_.emplace_back([this, rank] {
        ThreadRanks ranks(network, rank);
        const MakeRankTest make = [rank](const SamplesNotice&, std::string_view samples, const auto&) {
          return std::make_unique<Echo>(std::string(samples) + std::to_string(rank));
        };
        const auto work = [rank](const RankWork& w) {
          if (w.bytes == "throw") throw InputError("no such work");
          w.tell("begun");
          w.tell(std::string(w.shared));
          return fmt::format("{} by {}", w.bytes, rank);
        };
        try {
          serve(ranks, {make, work}, [this] { return leave.load(); });
        } catch (const RankLost&) {
          ++deserted;
        }
      });
  }
  void join() {
    for (std::jthread& worker : workers_) worker.join();
    workers_.clear();
  }
  ThreadNetwork network;
  ThreadRanks coordinator_ranks;
  std::atomic<bool> leave = false;
  std::atomic<int> deserted = 0;

 private:
  std::vector<std::jthread> workers_;
};

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, HandsTestsToEveryRankAndBringsBackEveryField) {
  Team team(4);
  const Echo local("samples0");
  {
    Coordinator coordinator(team.coordinator_ranks, {});
    EXPECT_EQ(coordinator.working_ranks(), 4u);
    coordinator.share({}, "samples");
    const auto spread = coordinator.spread(local);
    std::vector<CiResult> results(40);
    base::parallel_for(results.size(), 1, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) results[i] = spread->test(i % 13, std::vector<std::size_t>{i, 7});
    });
    std::set<std::string> who;
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].statistic, static_cast<double>(i % 13));
      EXPECT_EQ(results[i].effect, 100.0 * static_cast<double>(i) + 7);
      EXPECT_EQ(results[i].null_histogram.high, 0.75);
      EXPECT_EQ(results[i].null_histogram.counts, (std::vector<std::uint32_t>{1, 2, 3}));
      who.insert(results[i].rule);
    }
    EXPECT_EQ(who, (std::set<std::string>{"samples0", "samples1", "samples2", "samples3"}));
    EXPECT_EQ(coordinator.effort().tests, 40u);
    const std::vector<std::size_t> of_rank = coordinator.effort().of_rank;
    ASSERT_EQ(of_rank.size(), 4u);
    for (int rank = 0; rank < 4; ++rank) {
      const auto made_by = [&](const CiResult& r) { return r.rule == "samples" + std::to_string(rank); };
      EXPECT_EQ(of_rank[static_cast<std::size_t>(rank)], std::count_if(results.begin(), results.end(), made_by));
    }
    EXPECT_GE(coordinator.effort().seconds, 40 * 0.002);
    EXPECT_FALSE(coordinator.broken());
  }
  team.join();
  EXPECT_EQ(team.deserted, 0);
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, EarlierOutcomesAreDecidedHereOrGoneOnWithThere) {
  Team team(2);
  const Echo local("0");
  {
    Coordinator coordinator(team.coordinator_ranks, {});
    coordinator.share({}, "");
    CiResult earlier;
    earlier.statistic = 1000;
    const auto spread = coordinator.spread(local);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(spread->test_again(5, {}, earlier).statistic, 1005);
    earlier.stopped = "decided";
    EXPECT_EQ(spread->test_again(5, {}, earlier).statistic, 1000);
    EXPECT_EQ(coordinator.effort().tests, 4u);
  }
  team.join();
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, WhatATestThrowsReachesTheCallerAndTheRankGoesOn) {
  Team team(2);
  const Echo local("0");
  {
    Coordinator coordinator(team.coordinator_ranks, {});
    coordinator.share({}, "");
    const auto spread = coordinator.spread(local);
    for (int i = 0; i < 4; ++i) EXPECT_THROW(spread->test(13, {}), InputError);  // both ranks in turn
    EXPECT_EQ(spread->test(3, {}).statistic, 3);
  }
  team.join();
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, OtherWorkGoesToFreeRanksAndTellsHowItGoes) {
  Team team(3);
  {
    Coordinator coordinator(team.coordinator_ranks, {});
    coordinator.share({.for_work = 1}, "the job");
    std::vector<std::string> given(30);
    std::vector<std::vector<std::string>> told(given.size());
    base::parallel_for(given.size(), 1, 3, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        given[i] = coordinator.work(
            std::to_string(i), [&] { return fmt::format("{} here", i); },
            [&](std::string_view news) { told[i].emplace_back(news); });
    });
    std::set<std::string> who;
    for (std::size_t i = 0; i < given.size(); ++i) {
      ASSERT_TRUE(given[i].starts_with(std::to_string(i) + " "));
      const std::string by = given[i].substr(std::to_string(i).size() + 1);
      who.insert(by);
      EXPECT_EQ(told[i], by == "here" ? std::vector<std::string>{} : (std::vector<std::string>{"begun", "the job"}));
    }
    EXPECT_EQ(who, (std::set<std::string>{"here", "by 1", "by 2"}));
    EXPECT_EQ(coordinator.effort().tests, 0u) << "work is no test";
    const auto refuse = []() -> std::string { throw InputError("no such work"); };
    for (int i = 0; i < 3; ++i) EXPECT_THROW(coordinator.work("throw", refuse), InputError);  // all ranks in turn
  }
  team.join();
  EXPECT_EQ(team.deserted, 0);
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, ALostRankEndsEveryTestUnderWay) {
  ThreadNetwork network(3);  // ranks 1 and 2 never answer
  ThreadRanks ranks(network, 0);
  const Echo local("0");
  std::promise<void> heard;
  Coordinator coordinator(ranks, {}, [&] { heard.set_value(); });
  const auto spread = coordinator.spread(local);
  auto first = std::async(std::launch::async, [&] { return spread->test(1, {}); });
  auto second = std::async(std::launch::async, [&] { return spread->test(2, {}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  network.dead[2] = true;
  EXPECT_THROW(first.get(), RankLost);
  EXPECT_THROW(second.get(), RankLost);
  heard.get_future().get();
  EXPECT_TRUE(coordinator.broken());
  EXPECT_THROW(spread->test(3, {}), RankLost);
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, CancellingEndsEveryTestUnderWay) {
  ThreadNetwork network(2);
  ThreadRanks ranks(network, 0);
  const Echo local("0");
  std::atomic<bool> cancelled = false;
  Coordinator coordinator(ranks, [&] { return cancelled.load(); });
  const auto spread = coordinator.spread(local);
  auto waiting = std::async(std::launch::async, [&] { return spread->test(1, {}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cancelled = true;
  EXPECT_THROW(waiting.get(), Cancelled);
}

// ctest label threads: ranks that threads play
TEST(CoordinatorThreads, WorkersLeaveADeadCoordinatorAndWhenAskedTo) {
  Team orphans(3);
  orphans.network.dead[0] = true;
  orphans.join();
  EXPECT_EQ(orphans.deserted, 2);
  Team asked(2);
  asked.leave = true;
  asked.join();
  EXPECT_EQ(asked.deserted, 1);
}

TEST(ClusterMessages, CutOffOrDamagedBytesAreNoticed) {
  const std::string task = encode(TestTask{3, {1, 2}, CiResult{}}), answer = encode(TestAnswer{{}, 1.5});
  EXPECT_EQ(decode_task(task).given, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(decode_answer(answer).seconds, 1.5);
  for (std::size_t size = 1; size < answer.size(); ++size) EXPECT_THROW(decode_answer(answer.substr(0, size)), Error);
  EXPECT_THROW(decode_task(task.substr(0, 20)), Error);
  const std::vector<std::string> texts = {"", std::string("a\0b", 3), "c"};
  const std::string joined = join_texts(texts);
  EXPECT_EQ(split_texts(joined), texts);
  EXPECT_EQ(split_texts("").size(), 0u);
  EXPECT_THROW(split_texts(std::string_view(joined).substr(0, joined.size() - 1)), Error);
  std::string damaged = answer;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  EXPECT_THROW(decode_answer(damaged), Error);
}

}  // namespace
}  // namespace macmi::cluster
