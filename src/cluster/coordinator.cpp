#include "cluster/coordinator.hpp"

#include <fmt/format.h>

namespace macmi::cluster {

/// Any test, made by whichever rank is free.
class SpreadTest final : public TargetCiTest {
 public:
  SpreadTest(Coordinator& coordinator, const TargetCiTest& local) : coordinator_(coordinator), local_(local) {}
  std::span<const std::string> features() const override { return local_.features(); }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override { return make(x, given, nullptr); }
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override {
    if (std::optional<CiResult> known = decided(earlier)) return *std::move(known);
    return make(x, given, &earlier);
  }
  std::optional<CiResult> decided(const CiResult& earlier) const override { return local_.decided(earlier); }

 private:
  CiResult make(std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const {
    const int rank = coordinator_.take_free_rank();
    TestAnswer answer;
    try {
      answer = rank == 0 ? here(x, given, earlier) : there(rank, x, given, earlier);
    } catch (...) {
      coordinator_.give_back(rank);
      throw;
    }
    coordinator_.count_test(rank, answer.seconds);
    coordinator_.give_back(rank);
    return std::move(answer.result);
  }
  TestAnswer here(std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const {
    const auto start = Rhythm::Clock::now();
    TestAnswer answer{earlier ? local_.test_again(x, given, *earlier) : local_.test(x, given), 0};
    answer.seconds = seconds_since(start);
    return answer;
  }
  TestAnswer there(int rank, std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const {
    TestTask task{x, {given.begin(), given.end()}, std::nullopt};
    if (earlier) task.earlier = *earlier;
    return decode_answer(coordinator_.ask(rank, encode(task)));
  }

  Coordinator& coordinator_;
  const TargetCiTest& local_;
};

Coordinator::Coordinator(Ranks& ranks, std::function<bool()> cancelled, std::function<void()> on_loss)
    : ranks_(ranks), cancelled_(std::move(cancelled)), on_loss_(std::move(on_loss)) {
  for (int rank = 0; rank < ranks.size(); ++rank) {
    seats_.push_back(std::make_unique<Seat>());
    if (rank > 0) free_.push_back(rank);
  }
  if (ranks.size() <= largest_working_team) free_.push_back(0);
  effort_.working_ranks = free_.size();
  effort_.of_rank.resize(seats_.size());
  messenger_ = std::jthread([this] { communicate(); });
}

Coordinator::~Coordinator() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  posted_.notify_all();
  messenger_.join();
}

std::size_t Coordinator::working_ranks() const {
  const std::lock_guard lock(mutex_);
  return effort_.working_ranks;
}

Effort Coordinator::effort() const {
  const std::lock_guard lock(mutex_);
  return effort_;
}

bool Coordinator::broken() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

std::unique_ptr<TargetCiTest> Coordinator::spread(const TargetCiTest& local) {
  return std::make_unique<SpreadTest>(*this, local);
}

void Coordinator::share(SamplesNotice notice, std::string_view samples) {
  notice.size = samples.size();
  Sharing sharing{notice, samples};
  std::unique_lock lock(mutex_);
  sharing_ = &sharing;
  posted_.notify_all();
  shared_.wait(lock, [&] { return sharing.done || failure_; });
  sharing_ = nullptr;
  throw_if_failed();
}

void Coordinator::throw_if_failed() const {
  if (failure_) std::rethrow_exception(failure_);
}

int Coordinator::take_free_rank() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty() || failure_; });
  throw_if_failed();
  const int rank = free_.front();
  free_.pop_front();
  return rank;
}

void Coordinator::give_back(int rank) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(rank);
  }
  freed_.notify_one();
}

void Coordinator::count_test(int rank, double seconds) {
  const std::lock_guard lock(mutex_);
  ++effort_.tests;
  ++effort_.of_rank[static_cast<std::size_t>(rank)];
  effort_.seconds += seconds;
}

std::string Coordinator::work(std::string_view bytes, const std::function<std::string()>& here, const OnNews& on_news) {
  const int rank = take_free_rank();
  std::string answer;
  try {
    if (rank == 0)
      answer = here();
    else
      answer = ask(rank, message_of(MessageKind::work, bytes), &on_news).substr(1);
  } catch (...) {
    give_back(rank);
    throw;
  }
  give_back(rank);
  return answer;
}

std::string Coordinator::ask(int rank, std::string message, const OnNews* on_news) {
  Seat& seat = *seats_[static_cast<std::size_t>(rank)];
  std::unique_lock lock(mutex_);
  throw_if_failed();
  seat.answer.reset();
  seat.on_news = on_news;
  ++asked_;
  outbox_.emplace_back(rank, std::move(message));
  posted_.notify_all();
  seat.answered.wait(lock, [&] { return seat.answer || failure_; });
  --asked_;
  seat.on_news = nullptr;
  if (!seat.answer) throw_if_failed();
  std::string answer = *std::move(seat.answer);
  if (kind_of(answer) == MessageKind::failure) rethrow_failure(answer);
  return answer;
}

void Coordinator::communicate() {
  try {
    for (;;) {
      bool busy = share_posted();
      busy = send_posted() || busy;
      while (std::optional<Message> message = ranks_.poll()) {
        take(*std::move(message));
        busy = true;
      }
      if (busy) rhythm_.something_happened();
      if (cancelled_ && cancelled_()) throw Cancelled();
      expect_all_alive();
      std::unique_lock lock(mutex_);
      const auto something_to_do = [&] { return closing_ || !outbox_.empty() || (sharing_ && !sharing_->done); };
      const bool expecting = asked_ > 0 || ranks_.sending();
      posted_.wait_for(lock, expecting ? rhythm_.pause() : pause_without_expectation, something_to_do);
      if (closing_) break;
    }
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, message_of(MessageKind::end));
  } catch (const Cancelled&) {
    fail(std::current_exception());
  } catch (...) {
    fail(std::current_exception());
    if (on_loss_) on_loss_();
  }
}

bool Coordinator::send_posted() {
  std::deque<std::pair<int, std::string>> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(outbox_);
  }
  for (const auto& [rank, bytes] : letters) ranks_.send(rank, bytes);
  return !letters.empty();
}

bool Coordinator::share_posted() {
  Sharing* sharing = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (sharing_ && !sharing_->done) sharing = sharing_;
  }
  if (!sharing) return false;
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, encode(sharing->notice));
  ranks_.share(sharing->samples, sharing->samples.size());
  const std::lock_guard lock(mutex_);
  for (const auto& seat : seats_) seat->heard = Rhythm::Clock::now();
  sharing->done = true;
  shared_.notify_all();
  return true;
}

void Coordinator::take(Message message) {
  Seat& seat = *seats_.at(static_cast<std::size_t>(message.from));
  seat.heard = Rhythm::Clock::now();
  if (kind_of(message.bytes) == MessageKind::alive) return;
  std::unique_lock lock(mutex_);
  if (kind_of(message.bytes) == MessageKind::news) {
    const OnNews* listener = seat.on_news;
    lock.unlock();  // whoever asked waits for the answer, which only this thread can bring: the listener stays
    if (listener && *listener) (*listener)(body_of(message.bytes));
    return;
  }
  seat.answer = std::move(message.bytes);
  seat.answered.notify_all();
}

void Coordinator::expect_all_alive() {
  if (sign_of_life_.due())
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, message_of(MessageKind::alive));
  if (!roll_call_.due()) return;
  for (int rank = 1; rank < ranks_.size(); ++rank) {
    if (ranks_.gone(rank)) throw RankLost(fmt::format("{} has died", ranks_.name(rank)));
    if (seconds_since(seats_[static_cast<std::size_t>(rank)]->heard) > longest_silence_in_seconds)
      throw RankLost(fmt::format("{} has said nothing for {:.0f} s", ranks_.name(rank), longest_silence_in_seconds));
  }
}

void Coordinator::fail(std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(why);
  for (const auto& seat : seats_) seat->answered.notify_all();
  freed_.notify_all();
  shared_.notify_all();
}

}  // namespace macmi::cluster
