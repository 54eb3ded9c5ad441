#pragma once
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "macmi/variable.hpp"

namespace macmi::testing {

/// Small models whose truth is known.
struct Triple {
  std::vector<double> x, y, z;
};

/// x ← z → y, nonlinear, independent given z; with `direct` ≠ 0 also x → y.
inline Triple fork(std::size_t n, std::uint64_t seed, double direct = 0) {
  base::RandomStream random(base::StreamKey(seed).with("fork"));
  Triple t;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(), x = std::sin(2 * z) + 0.5 * random.normal();
    t.z.push_back(z), t.x.push_back(x);
    t.y.push_back(z * z + direct * x + 0.5 * random.normal());
  }
  return t;
}

/// x and y independent unless `strength`: y = strength · x² + noise, uncorrelated.
inline Triple parabola(std::size_t n, std::uint64_t seed, double strength) {
  base::RandomStream random(base::StreamKey(seed).with("parabola"));
  Triple t;
  for (std::size_t i = 0; i < n; ++i) {
    t.x.push_back(random.normal());
    t.y.push_back(strength * t.x.back() * t.x.back() + random.normal());
    t.z.push_back(random.normal());
  }
  return t;
}

}  // namespace macmi::testing
