#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "macmi/variable.hpp"

namespace macmi::study {

using base::RandomStream;

/// n samples of x, y and z, row after row; discrete z and y are whole numbers unless `y_classes`.
struct Sample {
  std::vector<double> x, y, z;
  std::size_t z_columns = 1;
  std::vector<std::int32_t> y_classes = {};

  Variable x_variable() const { return Variable(std::span<const double>(x), "x"); }
  Variable y_variable() const {
    return y_classes.empty() ? Variable(std::span<const double>(y), "y") : Variable::categories(y_classes, "y");
  }
  Variable z_variable() const { return z.empty() ? Variable() : Variable::rows(z, z_columns, "z"); }
};

using Model = std::function<Sample(std::size_t n, double strength, RandomStream& random)>;

/// x and y follow the mean of z through f and g, plus noise; y takes `strength` times the effect of x on top.
inline Model additive(
    std::size_t z_columns, std::function<double(double)> f, std::function<double(double)> g,
    std::function<double(RandomStream&)> noise, std::function<double(double)> effect = [](double x) { return x; }) {
  return [=](std::size_t n, double strength, RandomStream& random) {
    Sample s;
    s.z_columns = z_columns;
    for (std::size_t i = 0; i < n; ++i) {
      double mean = 0;
      for (std::size_t d = 0; d < z_columns; ++d)
        mean += s.z.emplace_back(random.normal()) / std::sqrt(double(z_columns));
      const double x = f(mean) + noise(random);
      s.x.push_back(x);
      s.y.push_back(g(mean) + strength * effect(x) + noise(random));
    }
    return s;
  };
}

inline double identity(double v) {
  return v;
}
inline double normal_noise(RandomStream& random) {
  return random.normal();
}
/// Student's t with 2 degrees of freedom: infinite variance.
inline double heavy_noise(RandomStream& random) {
  const double a = random.normal(), b = random.normal(), c = random.normal();
  return a / std::sqrt((b * b + c * c) / 2);
}

/// z on three values, x = z + noise, y follows z alone.
inline Sample discrete_z(std::size_t n, double strength, RandomStream& random) {
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = static_cast<double>(random.below(3));
    s.z.push_back(z);
    s.x.push_back(z + random.normal());
    s.y.push_back(z + strength * s.x.back() + random.normal());
  }
  return s;
}

/// y is one of two classes whose odds follow z alone.
inline Sample binary_y(std::size_t n, double strength, RandomStream& random) {
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(), x = z + random.normal();
    s.z.push_back(z);
    s.x.push_back(x);
    s.y_classes.push_back(random.uniform() < 1 / (1 + std::exp(-z - strength * x)) ? 1 : 0);
  }
  return s;
}

/// Half of x and half of y are exact zeros, as counters are.
inline Sample zero_inflated(std::size_t n, double strength, RandomStream& random) {
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(), x = random.below(2) ? 0 : std::exp(0.5 * z + 0.5 * random.normal());
    s.z.push_back(z);
    s.x.push_back(x);
    s.y.push_back(random.below(2) ? 0 : std::exp(0.5 * z + strength * x + 0.5 * random.normal()));
  }
  return s;
}

}  // namespace macmi::study
