#pragma once
// Data whose conditional mutual information is known: in closed form, or as an integral over densities.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "macmi/variable.hpp"

namespace macmi::study {

using base::RandomStream;
using Column = std::vector<double>;

struct EffectSample {
  Column x, y;                           ///< numbers
  std::vector<std::int32_t> kind, code;  ///< where x or y is a category instead
  std::vector<Column> z;
  Variable variable_x() const { return kind.empty() ? Variable(x) : Variable::categories(kind); }
  Variable variable_y() const { return code.empty() ? Variable(y) : Variable::categories(code); }
};

struct EffectCase {
  std::string name;
  double truth = 0;  ///< I(x; y | z), nats
  std::function<EffectSample(RandomStream&, std::size_t n)> draw;
};

inline double normal_density(double t) {
  return std::exp(-t * t / 2) / std::sqrt(2 * M_PI);
}
inline double logistic(double s) {
  return 1 / (1 + std::exp(-s));
}

inline double integral(double low, double high, int cells, const std::function<double(double)>& f) {
  double sum = 0;
  for (int c = 0; c < cells; ++c) sum += f(low + (c + 0.5) * (high - low) / cells);
  return sum * (high - low) / cells;
}

/// I(x; f(x) + e) for standard normal x and e: the entropy of the sum minus that of e.
inline double information_of(const std::function<double(double)>& f) {
  const auto density = [&](double y) {
    return integral(-6, 6, 600, [&](double x) { return normal_density(x) * normal_density(y - f(x)); });
  };
  const double entropy = integral(-30, 45, 3000, [&](double y) {
    const double p = density(y);
    return p > 0 ? -p * std::log(p) : 0;
  });
  return entropy - 0.5 * std::log(2 * M_PI * M_E);
}

/// Of an even choice of three means, 1.5 apart, and e.
inline double information_of_three_means() {
  const double entropy = integral(-12, 12, 4000, [](double y) {
    const double p = (normal_density(y + 1.5) + normal_density(y) + normal_density(y - 1.5)) / 3;
    return -p * std::log(p);
  });
  return entropy - 0.5 * std::log(2 * M_PI * M_E);
}

/// I(x; y | z) where y is 1 with log-odds 1.5 x + z.
inline double information_of_two_classes() {
  const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log1p(-p); };
  return integral(-6, 6, 300, [&](double z) {
    const double p = integral(-6, 6, 300, [&](double x) { return normal_density(x) * logistic(1.5 * x + z); });
    const double left =
        integral(-6, 6, 300, [&](double x) { return normal_density(x) * entropy(logistic(1.5 * x + z)); });
    return normal_density(z) * (entropy(p) - left);
  });
}

/// y = f(x, first of z) + e, everything standard normal.
inline EffectSample draw_numbers(RandomStream& random, std::size_t n, std::size_t others,
                                 const std::function<double(double x, const EffectSample& s)>& f, double shared = 0) {
  EffectSample s;
  s.z.resize(others);
  for (std::size_t i = 0; i < n; ++i) {
    double x = random.normal();
    for (Column& z : s.z) z.push_back(random.normal()), x += shared * z.back();
    s.x.push_back(x);
    s.y.push_back(f(x, s) + random.normal());
  }
  return s;
}

inline double sum_of_given(const EffectSample& s) {
  double sum = 0;
  for (const Column& z : s.z) sum += z.back();
  return sum;
}

inline std::vector<EffectCase> effect_cases() {
  std::vector<EffectCase> all;
  for (std::size_t d = 0; d <= 4; ++d)
    all.push_back({fmt::format("linear, given {} others", d), 0.5 * std::log(2.0), [d](RandomStream& r, std::size_t n) {
                     return draw_numbers(r, n, d, [](double x, const EffectSample& s) { return x + sum_of_given(s); });
                   }});
  all.push_back(
      {"linear and weak, x shares with the 4 given", 0.5 * std::log(1.25), [](RandomStream& r, std::size_t n) {
         return draw_numbers(
             r, n, 4, [](double x, const EffectSample& s) { return x / 2 + sum_of_given(s); }, 0.7);
       }});
  all.push_back({"nothing, x shares with the 4 given", 0, [](RandomStream& r, std::size_t n) {
                   return draw_numbers(
                       r, n, 4, [](double, const EffectSample& s) { return sum_of_given(s); }, 0.7);
                 }});
  all.push_back({"square, given 1", information_of([](double x) { return x * x; }), [](RandomStream& r, std::size_t n) {
                   return draw_numbers(r, n, 1,
                                       [](double x, const EffectSample& s) { return x * x + sum_of_given(s); });
                 }});
  all.push_back({"2 sin 3x, given 1", information_of([](double x) { return 2 * std::sin(3 * x); }),
                 [](RandomStream& r, std::size_t n) {
                   return draw_numbers(
                       r, n, 1, [](double x, const EffectSample& s) { return 2 * std::sin(3 * x) + sum_of_given(s); });
                 }});
  const double of_product = integral(-8, 8, 4000, [](double z) { return normal_density(z) * 0.5 * std::log1p(z * z); });
  for (const std::size_t d : {1, 4})
    all.push_back({fmt::format("product with one of {} given", d), of_product, [d](RandomStream& r, std::size_t n) {
                     return draw_numbers(r, n, d,
                                         [](double x, const EffectSample& s) { return x * s.z.front().back(); });
                   }});
  all.push_back({"two classes, given 1", information_of_two_classes(), [](RandomStream& r, std::size_t n) {
                   EffectSample s;
                   s.z.resize(1);
                   for (std::size_t i = 0; i < n; ++i) {
                     s.x.push_back(r.normal()), s.z[0].push_back(r.normal());
                     s.code.push_back(r.uniform() < logistic(1.5 * s.x.back() + s.z[0].back()));
                   }
                   return s;
                 }});
  all.push_back({"three categories, given 1", information_of_three_means(), [](RandomStream& r, std::size_t n) {
                   EffectSample s;
                   s.z.resize(1);
                   for (std::size_t i = 0; i < n; ++i) {
                     s.kind.push_back(static_cast<std::int32_t>(r.below(3))), s.z[0].push_back(r.normal());
                     s.y.push_back(1.5 * (s.kind.back() - 1) + s.z[0].back() + r.normal());
                   }
                   return s;
                 }});
  return all;
}

}  // namespace macmi::study
