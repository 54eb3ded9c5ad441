#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cmi/digamma.hpp"

namespace macmi::citest {

/// ψ(0 … n) in fixed point: sums are whole numbers, the same in any order, so that permutations compare exactly
/// whatever the threads and vector widths. Fraction bits shrink as n grows, so that n sums of four terms never
/// overflow: 40 up to about n = 10⁵, 36 at 10⁶.
class FixedPsi {
 public:
  explicit FixedPsi(std::size_t n) : FixedPsi(n, estimation::digamma) {}
  /// ln in the place of ψ.
  static FixedPsi logarithms(std::size_t n) {
    return FixedPsi(n, [](double m) { return std::log(m); });
  }
  std::int64_t operator[](std::size_t m) const { return values_[m]; }
  const std::int64_t* data() const { return values_.data(); }
  double to_nats(std::int64_t sum) const { return std::ldexp(static_cast<double>(sum), -bits_); }

 private:
  template <class Function>
  FixedPsi(std::size_t n, Function function) : values_(n + 1) {
    const double largest = 4.0 * static_cast<double>(n) * (std::log(static_cast<double>(n)) + 1);
    bits_ = std::min(40, 61 - static_cast<int>(std::ceil(std::log2(largest))));
    for (std::size_t m = 1; m <= n; ++m) values_[m] = std::llround(std::ldexp(function(static_cast<double>(m)), bits_));
  }

  std::vector<std::int64_t> values_;
  int bits_ = 40;
};

}  // namespace macmi::citest
