#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "macmi/error.hpp"

namespace macmi::cluster {

struct Message {
  int from = 0;
  std::string bytes;
};

/// Processes, numbered from 0, that send each other bytes. One thread at a time may call it.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns at once. What one rank sends to another arrives in order.
  virtual void send(int to, std::string_view bytes) = 0;
  /// True while something sent is still on its way, for which poll() must be called often.
  virtual bool sending() const = 0;
  /// A message, if one has come.
  virtual std::optional<Message> poll() = 0;
  /// Called by all ranks together: the bytes that rank 0 gives, once in the memory of each node. Good until the end.
  virtual std::string_view share(std::string_view bytes, std::size_t size) = 0;
  /// True where the rank is known to be no more. False says nothing.
  virtual bool gone(int rank) const = 0;
  /// "rank 3 (process 4711 on node7)"
  virtual std::string name(int rank) const = 0;
  /// Called by all ranks together, at the end.
  virtual void finish() = 0;
  /// Ends all ranks, this one included, from whatever state. Does not return.
  virtual void abandon(int exit_code) = 0;
};

/// A rank died or fell silent: nothing more can be done with the others.
class RankLost : public Error {
 public:
  using Error::Error;
};

/// How long a rank may say nothing. Those that die on the same machine are noticed at once.
inline constexpr double longest_silence_in_seconds = 60;
inline constexpr double between_signs_of_life_in_seconds = 2;

}  // namespace macmi::cluster
