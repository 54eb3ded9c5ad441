#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace macmi::base {

/// The key of a random stream: a seed and any number of names and indices, mixed in order. Streams with different keys
/// are independent for all practical purposes, so results do not depend on threads, batches or order of execution.
class StreamKey {
 public:
  explicit StreamKey(std::uint64_t seed) : state_(mix(seed + 0x9E3779B97F4A7C15u)) {}
  StreamKey with(std::uint64_t index) const { return StreamKey(state_, index); }
  StreamKey with(std::string_view name) const {
    StreamKey key(state_, name.size() ^ 0xA5A5A5A5A5A5A5A5u);
    for (unsigned char c : name) key = StreamKey(key.state_, c);
    return key;
  }
  std::uint64_t value() const { return state_; }

 private:
  StreamKey(std::uint64_t state, std::uint64_t word)
      : state_(mix(state * 0xD1B54A32D192ED03u + mix(word + 0x9E3779B97F4A7C15u))) {}
  /// The finaliser of splitmix64 (Steele, Lea & Flood 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// xoshiro256++ (Blackman & Vigna 2021), started from a key.
class RandomStream {
 public:
  using result_type = std::uint64_t;
  explicit RandomStream(const StreamKey& key) {
    for (std::uint64_t i = 0; i < 4; ++i) s_[i] = key.with(i).value();
  }
  std::uint64_t operator()() {
    const std::uint64_t result = rotl(s_[0] + s_[3], 23) + s_[0];
    const std::uint64_t t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotl(s_[3], 45);
    return result;
  }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

  /// Uniform on 0 … n-1, without bias (Lemire 2019).
  std::uint64_t below(std::uint64_t n) {
    __extension__ using u128 = unsigned __int128;
    u128 product = static_cast<u128>((*this)()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<u128>((*this)()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }
  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal (Box & Muller).
  double normal() {
    const double u = 1.0 - uniform(), v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> s_{};
};

}  // namespace macmi::base
