#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/messages.hpp"
#include "cluster/ranks.hpp"
#include "cluster/rhythm.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::cluster {

/// The work that the ranks have done.
struct Effort {
  std::size_t working_ranks = 1;
  std::size_t tests = 0;
  double seconds = 0;                     ///< inside tests, summed over the ranks
  std::vector<std::size_t> of_rank = {};  ///< tests by rank
};

/// Rank 0: hands tests to whichever rank is free and waits for the answers. All calls of `ranks` are made by a thread
/// of its own, from the constructor to the destructor.
class Coordinator {
 public:
  /// The coordinator tests as well as long as handing out leaves it the time.
  static constexpr int largest_working_team = 32;

  /// `cancelled` is asked all the time; true ends every test under way with Cancelled. `on_loss` hears of a lost rank
  /// at once, from another thread.
  Coordinator(Ranks& ranks, std::function<bool()> cancelled, std::function<void()> on_loss = {});
  /// Tells the others to end, unless a rank was lost.
  ~Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Gives all ranks the samples that tests are about; must come before the first test.
  void share(SamplesNotice notice, std::string_view samples);

  /// The test `local` on all ranks: as many threads as working_ranks() keep them busy. `local` and the coordinator must
  /// outlive it. Throws RankLost where a rank died or fell silent.
  std::unique_ptr<TargetCiTest> spread(const TargetCiTest& local);

  /// Hears, from another thread, what a rank tells of its work.
  using OnNews = std::function<void(std::string_view news)>;
  /// Work other than tests, by the next rank that is free: its RankDuties::work gets the bytes, and what it gives is
  /// returned. Where this rank itself is the next, it is what `here` gives.
  std::string work(std::string_view bytes, const std::function<std::string()>& here, const OnNews& on_news = {});

  std::size_t working_ranks() const;
  Effort effort() const;
  /// A rank was lost or work was cancelled: the others are in an unknown state, and Ranks::finish would wait for ever.
  bool broken() const;

 private:
  friend class SpreadTest;
  /// The state of a rank.
  struct Seat {
    std::condition_variable answered;
    std::optional<std::string> answer;
    const OnNews* on_news = nullptr;
    Rhythm::Clock::time_point heard = Rhythm::Clock::now();
  };
  struct Sharing {
    SamplesNotice notice;
    std::string_view samples;
    bool done = false;
  };

  int take_free_rank();
  void give_back(int rank);
  void count_test(int rank, double seconds);
  std::string ask(int rank, std::string message, const OnNews* on_news = nullptr);
  void communicate();
  bool send_posted();
  bool share_posted();
  void take(Message message);
  void expect_all_alive();
  void fail(std::exception_ptr why);
  void throw_if_failed() const;

  Ranks& ranks_;
  std::function<bool()> cancelled_;
  std::function<void()> on_loss_;
  mutable std::mutex mutex_;
  std::condition_variable posted_, freed_, shared_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::deque<int> free_;
  std::deque<std::pair<int, std::string>> outbox_;
  std::size_t asked_ = 0;  ///< ranks that owe an answer
  Sharing* sharing_ = nullptr;
  std::exception_ptr failure_;
  bool closing_ = false;
  Effort effort_;
  Rhythm rhythm_;
  Every sign_of_life_{between_signs_of_life_in_seconds}, roll_call_{0.2};
  std::jthread messenger_;
};

}  // namespace macmi::cluster
