#include "cluster/worker.hpp"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/rhythm.hpp"

namespace macmi::cluster {
namespace {

constexpr double patience_in_seconds = 1.5;

/// Works on a thread of its own, so that the rank can give signs of life meanwhile.
class Bench {
 public:
  explicit Bench(const RankDuties& duties) : duties_(duties), thread_([this] { work(); }) {}
  ~Bench() {
    {
      const std::lock_guard lock(mutex_);
      leave_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  const std::atomic<bool>& leaving() const { return leave_; }

  /// Not while something is under way.
  void use(std::unique_ptr<TargetCiTest> test) { test_ = std::move(test); }
  void use(std::string_view shared) { shared_ = shared; }
  void begin(std::string task) {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    busy_ = true;
    changed_.notify_all();
  }
  bool busy() const { return busy_; }
  /// The progress of the work under way.
  std::deque<std::string> news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  /// The answer, if there is one, after waiting for it for a moment.
  std::optional<std::string> wait(std::chrono::microseconds pause) {
    std::unique_lock lock(mutex_);
    answered_.wait_for(lock, pause, [&] { return answer_.has_value() || !news_.empty(); });
    if (!news_.empty()) return std::nullopt;  // first things first
    busy_ = busy_ && !answer_;
    return std::exchange(answer_, std::nullopt);
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return task_ || leave_; });
      if (leave_) return;
      const std::string task = *std::exchange(task_, std::nullopt);
      lock.unlock();
      std::string answer = answer_to(task);
      lock.lock();
      answer_ = std::move(answer);
      answered_.notify_all();
    }
  }
  std::string answer_to(const std::string& message) {
    try {
      if (kind_of(message) == MessageKind::work) return message_of(MessageKind::answer, work_on(body_of(message)));
      const TestTask task = decode_task(message);
      const std::vector<std::size_t> given(task.given.begin(), task.given.end());
      if (!test_) throw Error("a rank was asked for a test before it had the samples");
      const auto start = Rhythm::Clock::now();
      TestAnswer answer{
          task.earlier ? test_->test_again(task.feature, given, *task.earlier) : test_->test(task.feature, given), 0};
      answer.seconds = seconds_since(start);
      return encode(answer);
    } catch (...) {
      return encode_failure(std::current_exception());
    }
  }

  std::string work_on(std::string_view bytes) {
    if (!duties_.work) throw Error("a rank was asked for work that its command does not have");
    const auto tell = [this](std::string text) {
      const std::lock_guard lock(mutex_);
      news_.push_back(std::move(text));
      answered_.notify_all();
    };
    return duties_.work({bytes, shared_, tell, [this] { return leave_.load(); }});
  }

  const RankDuties& duties_;
  std::unique_ptr<TargetCiTest> test_;  ///< not changed while a task is under way
  std::string_view shared_;
  std::mutex mutex_;
  std::condition_variable changed_, answered_;
  std::optional<std::string> task_, answer_;
  std::deque<std::string> news_;
  bool busy_ = false;  ///< a task was begun whose answer has not been taken; of the rank's own thread
  std::atomic<bool> leave_ = false;
  std::jthread thread_;
};

/// Throws when there is nobody to work for.
class Watch {
 public:
  Watch(const Ranks& ranks, const std::function<bool()>& asked_to_end) : ranks_(ranks), asked_to_end_(asked_to_end) {}
  void heard() { heard_ = Rhythm::Clock::now(); }
  void look() {
    if (!asked_to_end_ || !asked_to_end_()) not_asked_ = Rhythm::Clock::now();
    if (seconds_since(not_asked_) > patience_in_seconds) throw RankLost("asked to end");
    if (!now_and_then_.due()) return;
    if (ranks_.gone(0)) throw RankLost("the coordinator has died");
    if (seconds_since(heard_) > longest_silence_in_seconds) throw RankLost("the coordinator has fallen silent");
  }

 private:
  const Ranks& ranks_;
  const std::function<bool()>& asked_to_end_;
  Rhythm::Clock::time_point not_asked_ = Rhythm::Clock::now(), heard_ = not_asked_;
  Every now_and_then_{0.2};
};

}  // namespace

void serve(Ranks& ranks, const RankDuties& duties, const std::function<bool()>& asked_to_end) {
  Bench bench(duties);
  Watch watch(ranks, asked_to_end);
  Rhythm rhythm;
  Every sign_of_life(between_signs_of_life_in_seconds);
  for (;;) {
    while (const std::optional<Message> message = ranks.poll()) {
      rhythm.something_happened();
      watch.heard();
      const MessageKind kind = kind_of(message->bytes);
      if (kind == MessageKind::end) return;
      if (kind == MessageKind::task || kind == MessageKind::work) bench.begin(message->bytes);
      if (kind != MessageKind::samples) continue;
      const SamplesNotice notice = decode_samples(message->bytes);
      const std::string_view samples = ranks.share({}, notice.size);
      watch.heard();
      if (notice.for_work)
        bench.use(samples);
      else
        bench.use(duties.make_test(notice, samples, [&bench] { return bench.leaving().load(); }));
    }
    // The answer itself ends the wait; a rank at work keeps its core to the test.
    const bool at_work = bench.busy() && !ranks.sending();
    if (const std::optional<std::string> answer = bench.wait(at_work ? pause_without_expectation : rhythm.pause())) {
      ranks.send(0, *answer);
      rhythm.something_happened();
    }
    for (const std::string& text : bench.news()) {
      ranks.send(0, message_of(MessageKind::news, text));
      rhythm.something_happened();
    }
    if (sign_of_life.due()) ranks.send(0, message_of(MessageKind::alive));
    watch.look();
  }
}

}  // namespace macmi::cluster
