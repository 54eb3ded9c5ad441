#include "experiments/simulations/variable_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace macmi::experiments {
namespace {

double normal_distribution(double v) {
  return 0.5 * std::erfc(-v / std::sqrt(2.0));
}

/// Student's t with 2 degrees of freedom from a standard normal number: infinite variance, the same order.
double heavy(double noise) {
  const double p = std::clamp(normal_distribution(noise), 1e-12, 1 - 1e-12);
  return (2 * p - 1) / std::sqrt(2 * p * (1 - p));
}

/// 0 for four samples of five, small whole numbers for the rest, as counters of rare events are.
double count(double latent) {
  return latent < 0.8416 ? 0 : std::ceil(3 * (latent - 0.8416));
}

/// The class whose share of (0, 1) holds u; class c has a share in proportion to 1 / (1 + c).
std::int32_t unequal_class(double u, std::int32_t classes) {
  double total = 0;
  for (std::int32_t c = 0; c < classes; ++c) total += 1.0 / (1 + c);
  u *= total;
  for (std::int32_t c = 0; c + 1 < classes; ++c)
    if ((u -= 1.0 / (1 + c)) < 0) return c;
  return classes - 1;
}

/// The effect of a class of z: of mean about 0 and deviation about 1, and not in the order of the classes.
double class_effect(std::int32_t c, std::int32_t classes) {
  return 1.4 * std::cos(6.283185307179586 * (0.1 + c * 0.618034)) + (classes > 8 ? 0.2 * (c % 3 - 1) : 0.0);
}

constexpr double explained = 0.7071067811865476;  // the square root of a half

/// The parts of x or y: a part that z explains and one that is its own.
struct Latent {
  std::vector<double> score;  ///< of z; empty: nothing is given
  double operator()(std::size_t i, double noise) const {
    return score.empty() ? noise : explained * (score[i] + noise);
  }
};

VariableSamples make_variable(VariableKind kind, const Latent& latent, const std::vector<double>& noise,
                              base::RandomStream& random) {
  VariableSamples v;
  const std::size_t n = noise.size();
  const auto numbers = [&](auto value) {
    auto& column = v.numbers.emplace_back();
    for (std::size_t i = 0; i < n; ++i) column.push_back(value(i));
  };
  const auto classes = [&](std::int32_t count, auto value) {
    auto& column = v.categories.emplace_back();
    for (std::size_t i = 0; i < n; ++i) column.push_back(unequal_class(normal_distribution(value(i)), count));
  };
  const auto own = [&](std::size_t i) { return latent(i, noise[i]); };
  const auto another = [&](std::size_t i) { return latent(i, random.normal()); };
  switch (kind) {
    case VariableKind::number:
      numbers(own);
      break;
    case VariableKind::heavy_tailed:
      numbers([&](std::size_t i) { return latent(i, heavy(noise[i])); });
      break;
    case VariableKind::count:
      numbers([&](std::size_t i) { return count(own(i)); });
      break;
    case VariableKind::two_classes:
      classes(2, own);
      break;
    case VariableKind::four_classes:
      classes(4, own);
      break;
    case VariableKind::sixteen_classes:
      classes(16, own);
      break;
    case VariableKind::block:
      numbers(own);
      numbers(another);
      numbers(another);
      break;
    case VariableKind::mixed_block:
      numbers(own);
      classes(4, another);
      break;
  }
  return v;
}

struct Given {
  VariableSamples z;
  Latent latent;
};

Given make_given(GivenKind kind, std::size_t n, base::RandomStream& random) {
  Given given;
  const std::size_t columns = kind == GivenKind::three_numbers                                             ? 3
                              : kind == GivenKind::number || kind == GivenKind::sixteen_classes_and_number ? 1
                                                                                                           : 0;
  std::vector<std::int32_t> levels;
  if (kind == GivenKind::four_classes) levels = {4};
  if (kind == GivenKind::sixteen_classes_and_number) levels = {16};
  if (kind == GivenKind::two_categories) levels = {3, 8};
  if (columns + levels.size() == 0) return given;
  const double weight = 1 / std::sqrt(static_cast<double>(columns + levels.size()));
  given.latent.score.assign(n, 0);
  for (std::size_t d = 0; d < columns; ++d) {
    auto& column = given.z.numbers.emplace_back();
    for (std::size_t i = 0; i < n; ++i) given.latent.score[i] += weight * column.emplace_back(random.normal());
  }
  for (const std::int32_t classes : levels) {
    auto& column = given.z.categories.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      given.latent.score[i] +=
          weight * class_effect(column.emplace_back(unequal_class(random.uniform(), classes)), classes);
  }
  return given;
}

}  // namespace

std::string name_of(VariableKind kind) {
  constexpr const char* names[] = {"number",    "heavy-tailed number", "count, 80% zeros",   "2 classes",
                                   "4 classes", "16 classes",          "block of 3 numbers", "number and category"};
  return names[static_cast<std::size_t>(kind)];
}

std::string name_of(GivenKind kind) {
  constexpr const char* names[] = {
      "nothing", "a number", "3 numbers", "4 classes", "16 classes and a number", "categories of 3 and 8 levels"};
  return names[static_cast<std::size_t>(kind)];
}

Variable VariableSamples::view(const std::string& name) const {
  Variable variable;
  for (std::size_t d = 0; d < numbers.size(); ++d)
    variable.add(NumericColumn{numbers[d].data(), 1, name + std::to_string(d)}, numbers[d].size());
  for (std::size_t d = 0; d < categories.size(); ++d)
    variable.add(CategoricalColumn{categories[d].data(), 1, name + "c" + std::to_string(d)}, categories[d].size());
  return variable;
}

VariableSamples simulate_variable(VariableKind kind, const std::vector<double>& score, const std::vector<double>& noise,
                                  base::RandomStream& random) {
  return make_variable(kind, Latent{score}, noise, random);
}

SimulatedTriple simulate_triple(VariableKind x, VariableKind y, GivenKind z, std::size_t n, double dependence,
                                base::RandomStream& random) {
  Given given = make_given(z, n, random);
  std::vector<double> x_noise, y_noise;
  for (std::size_t i = 0; i < n; ++i) {
    x_noise.push_back(random.normal());
    y_noise.push_back(dependence * x_noise.back() + std::sqrt(1 - dependence * dependence) * random.normal());
  }
  VariableSamples first = make_variable(x, given.latent, x_noise, random);
  VariableSamples second = make_variable(y, given.latent, y_noise, random);
  return {std::move(first), std::move(second), std::move(given.z)};
}

}  // namespace macmi::experiments
