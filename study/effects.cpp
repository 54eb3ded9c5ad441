// Effects in nats against closed forms and quadrature: docs/benchmarks/effects.md.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/parallel.hpp"
#include "predict/information.hpp"

using namespace macmi;

namespace {

using Column = std::vector<double>;
struct Sample {
  Column x_number, y_number;
  std::vector<std::int32_t> x_class, y_class;
  std::vector<Column> z;
};
struct Case {
  std::string name;
  double truth;
  std::function<Sample(RandomStream&, std::size_t)> draw;
};

double logistic(double s) { return 1 / (1 + std::exp(-s)); }
double density(double t) { return std::exp(-t * t / 2) / std::sqrt(2 * M_PI); }
double entropy(double p) { return p <= 0 || p >= 1 ? 0 : -p * std::log(p) - (1 - p) * std::log(1 - p); }
double integral(double low, double high, const std::function<double(double)>& f) {
  constexpr int cells = 4000;
  double sum = 0;
  for (int c = 0; c < cells; ++c) sum += f(low + (c + 0.5) * (high - low) / cells);
  return sum * (high - low) / cells;
}
double normal_mean(const std::function<double(double)>& f) {
  return integral(-8, 8, [&](double t) { return density(t) * f(t); });
}
const double noise_entropy = 0.5 * std::log(2 * M_PI * M_E);

double truth_of_square() {
  const auto p = [](double y) {
    double sum = 0;
    for (int c = 0; c < 600; ++c) {
      const double x = -6 + (c + 0.5) * 0.02;
      sum += density(x) * density(y - x * x) * 0.02;
    }
    return sum;
  };
  return integral(-6, 40, [&](double y) { const double d = p(y); return d > 0 ? -d * std::log(d) : 0; }) - noise_entropy;
}
double truth_of_category() {
  const auto p = [](double y) { return (density(y + 1.5) + density(y) + density(y - 1.5)) / 3; };
  return integral(-12, 12, [&](double y) { const double d = p(y); return d > 0 ? -d * std::log(d) : 0; }) - noise_entropy;
}
double truth_of_logistic() {
  double sum = 0;
  for (int c = 0; c < 400; ++c) {
    const double z = -6 + (c + 0.5) * 0.03;
    double p = 0, h = 0;
    for (int d = 0; d < 400; ++d) {
      const double x = -6 + (d + 0.5) * 0.03, q = logistic(1.5 * x + z);
      p += density(x) * q * 0.03, h += density(x) * entropy(q) * 0.03;
    }
    sum += density(z) * (entropy(p) - h) * 0.03;
  }
  return sum;
}

Sample linear(RandomStream& r, std::size_t n, std::size_t others, double weight, double shared) {
  Sample s;
  s.z.resize(others);
  for (std::size_t i = 0; i < n; ++i) {
    double x = 0, y = r.normal();
    for (Column& z : s.z) z.push_back(r.normal()), x += shared * z.back(), y += z.back();
    x += r.normal();
    s.x_number.push_back(x);
    s.y_number.push_back(y + weight * x);
  }
  return s;
}

Sample functional(RandomStream& r, std::size_t n, const std::function<double(double, double)>& f, std::size_t others = 1) {
  Sample s;
  s.z.resize(others);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = r.normal();
    for (Column& z : s.z) z.push_back(r.normal());
    s.x_number.push_back(x);
    s.y_number.push_back(f(x, s.z[0].back()) + r.normal());
  }
  return s;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t d = 0; d <= 4; ++d)
    all.push_back({fmt::format("linear, given {}", d), 0.5 * std::log(2.0), [d](RandomStream& r, std::size_t n) { return linear(r, n, d, 1, 0); }});
  all.push_back({"linear, x shares with 4 given", 0.5 * std::log(1.25), [](RandomStream& r, std::size_t n) { return linear(r, n, 4, 0.5, 0.7); }});
  all.push_back({"nothing, x shares with 4 given", 0, [](RandomStream& r, std::size_t n) { return linear(r, n, 4, 0, 0.7); }});
  all.push_back({"square, given 1", truth_of_square(), [](RandomStream& r, std::size_t n) { return functional(r, n, [](double x, double z) { return x * x + z; }); }});
  all.push_back({"product with the given", normal_mean([](double z) { return 0.5 * std::log1p(z * z); }), [](RandomStream& r, std::size_t n) { return functional(r, n, [](double x, double z) { return x * z; }); }});
  all.push_back({"product with one of 4 given", normal_mean([](double z) { return 0.5 * std::log1p(z * z); }), [](RandomStream& r, std::size_t n) { return functional(r, n, [](double x, double z) { return x * z; }, 4); }});
  all.push_back({"sine of 3x, given 1", 0.5*0, [](RandomStream& r, std::size_t n) { return functional(r, n, [](double x, double z) { return 2 * std::sin(3 * x) + z; }); }});
  all.push_back({"two classes, given 1", truth_of_logistic(), [](RandomStream& r, std::size_t n) {
    Sample s; s.z.resize(1);
    for (std::size_t i = 0; i < n; ++i) {
      s.x_number.push_back(r.normal()), s.z[0].push_back(r.normal());
      s.y_class.push_back(r.uniform() < logistic(1.5 * s.x_number.back() + s.z[0].back()));
    }
    return s; }});
  all.push_back({"three categories, given 1", truth_of_category(), [](RandomStream& r, std::size_t n) {
    Sample s; s.z.resize(1);
    for (std::size_t i = 0; i < n; ++i) {
      s.x_class.push_back(static_cast<std::int32_t>(r.below(3))), s.z[0].push_back(r.normal());
      s.y_number.push_back(1.5 * (s.x_class.back() - 1) + s.z[0].back() + r.normal());
    }
    return s; }});
  return all;
}

Information effect(const Sample& s) {
  Variable x, y, z, xz;
  const std::size_t n = std::max(s.x_number.size(), s.x_class.size());
  if (s.x_class.empty()) x.add(NumericColumn{s.x_number.data(), 1, "x"}, n); else x.add(CategoricalColumn{s.x_class.data(), 1, "x"}, n);
  if (s.y_class.empty()) y.add(NumericColumn{s.y_number.data(), 1, "y"}, n); else y.add(CategoricalColumn{s.y_class.data(), 1, "y"}, n);
  for (const Column& c : s.z) z.add(NumericColumn{c.data(), 1, "z"}, n);
  xz.add(z); xz.add(x);
  PredictiveInformation info(y, 1);
  info.choose_scales(xz);
  return mean_difference(info.log_density(xz), info.log_density(z));
}

}  // namespace

int main() {
  const std::size_t seeds = 20, n = 2000;
  for (const Case& c : cases()) {
    std::vector<Information> found(seeds);
    parallel_for(seeds, 1, 2, [&](std::size_t a, std::size_t b) {
      for (std::size_t s = a; s < b; ++s) { RandomStream r(StreamKey(s + 100).with(c.name)); found[s] = effect(c.draw(r, n)); }
    });
    double mean = 0, sd = 0, se = 0;
    for (auto& f : found) mean += f.nats / seeds, se += f.error / seeds;
    for (auto& f : found) sd += (f.nats - mean) * (f.nats - mean) / (seeds - 1);
    fmt::print("{:<32} truth {:.4f} mean {:.4f} sd {:.4f} se {:.4f}  {}\n", c.name, c.truth, mean, std::sqrt(sd), se, std::abs(mean - c.truth) <= std::max(0.01, 0.15 * c.truth) ? "ok" : "FAR");
  }
}
