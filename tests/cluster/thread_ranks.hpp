#pragma once
#include <atomic>
#include <barrier>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/ranks.hpp"

namespace macmi::cluster {

/// The state that the threads of one process, each playing a rank, share.
struct ThreadNetwork {
  explicit ThreadNetwork(int size) : boxes(static_cast<std::size_t>(size)), dead(boxes.size()), together(size) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
  std::vector<std::atomic<bool>> dead;
  std::barrier<> together;
  std::string_view shared;
};

/// Ranks for tests, without MPI.
class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadNetwork& network, int rank) : network_(network), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(network_.boxes.size()); }
  void send(int to, std::string_view bytes) override {
    const std::lock_guard lock(network_.mutex);
    network_.boxes[static_cast<std::size_t>(to)].push_back({rank_, std::string(bytes)});
  }
  bool sending() const override { return false; }
  std::optional<Message> poll() override {
    const std::lock_guard lock(network_.mutex);
    auto& box = network_.boxes[static_cast<std::size_t>(rank_)];
    if (box.empty()) return std::nullopt;
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  std::string_view share(std::string_view bytes, std::size_t) override {
    if (rank_ == 0) network_.shared = bytes;
    network_.together.arrive_and_wait();
    return network_.shared;
  }
  bool gone(int rank) const override { return network_.dead[static_cast<std::size_t>(rank)]; }
  std::string name(int rank) const override { return "rank " + std::to_string(rank); }
  void finish() override {}
  void abandon(int) override {}

 private:
  ThreadNetwork& network_;
  int rank_;
};

}  // namespace macmi::cluster
