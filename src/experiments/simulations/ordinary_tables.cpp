#include "experiments/simulations/ordinary_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/random.hpp"

namespace macmi::experiments {
namespace {

/// One of m labels; label l has the weight exp(weights[l]).
std::size_t draw_label(std::span<const double> weights, base::RandomStream& random) {
  double total = 0;
  for (const double w : weights) total += std::exp(w);
  double rest = random.uniform() * total;
  for (std::size_t l = 0; l + 1 < weights.size(); ++l)
    if ((rest -= std::exp(weights[l])) < 0) return l;
  return weights.size() - 1;
}

/// A number for one label, unrelated to the label's place in the list.
double meaning(const char* column, std::size_t label) {
  return base::RandomStream(base::StreamKey(0).with(column).with(label)).normal();
}

/// Labels whose weight grows with `pull` times their meaning, and falls with their number: the last ones are rare.
std::size_t follow(const char* column, std::size_t labels, double pull, double rarer, base::RandomStream& random) {
  std::vector<double> weights;
  for (std::size_t l = 0; l < labels; ++l)
    weights.push_back(pull * meaning(column, l) - rarer * std::log1p(static_cast<double>(l)));
  return draw_label(weights, random);
}

std::vector<std::string> words(const std::string& prefix, std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t l = 0; l < count; ++l) result.push_back(fmt::format("{}-{}", prefix, l + 1));
  return result;
}

double code(std::size_t label) {
  return static_cast<double>(label);
}

}  // namespace

SimulatedTable census(std::size_t n, std::uint64_t seed) {
  SimulatedTable table{
      {"age", "training", "hours", "capital", "savings", "weight", "education", "marital", "occupation", "workclass",
       "relationship", "sex", "race", "country", "income"},
      {},
      "the Markov blanket of income is age, education, occupation, marital, hours (parents), savings (child)",
      {{},
       {},
       {},
       {},
       {},
       {},
       words("school", 16),
       words("marital", 7),
       words("job", 14),
       words("class", 8),
       words("kin", 6),
       {"female", "male"},
       words("race", 5),
       words("country", 42),
       {"low", "high"}}};
  table.columns.resize(table.names.size());
  base::RandomStream random(base::StreamKey(seed).with("census"));
  for (std::size_t i = 0; i < n; ++i) {
    const double age = std::floor(17 + 60 * std::pow(random.uniform(), 1.4)), grown = (age - 38) / 14;
    const std::size_t sex = random.below(2), race = follow("race", 5, 0, 2.5, random);
    const std::size_t country = follow("country", 42, 0.5 * (code(race) - 1), 1.5, random);
    const std::size_t education = follow("education", 16, 1, 0.6, random);
    const double learned = meaning("education", education), training = std::round(10 + 2 * learned + random.normal());
    const std::size_t marital = follow("marital", 7, 1.2 * grown, 0.8, random);
    const std::size_t occupation = follow("occupation", 14, 1.2 * learned + 0.5 * code(sex), 0.5, random);
    const double job = meaning("occupation", occupation), bond = meaning("marital", marital);
    const std::size_t workclass = follow("workclass", 8, 1.5 * job, 1.2, random);
    const std::size_t relationship = follow("relationship", 6, 1.5 * bond + 0.8 * code(sex), 0.5, random);
    const double hours = std::clamp(std::round(40 + 4 * job + 8 * random.normal()), 1.0, 99.0);
    const double capital = random.uniform() < 0.9 ? 0 : std::floor(std::exp(7 + 0.6 * learned + random.normal()));
    const double chance = 0.9 * (1 - grown * grown / 2) + 0.9 * learned + 0.8 * job + bond + 0.06 * (hours - 40) - 1.5;
    const std::size_t income = random.uniform() < 1 / (1 + std::exp(-chance)) ? 1 : 0;
    const double savings = std::exp(0.8 * code(income) + 0.7 * random.normal()), weight = 100 + 30 * random.normal();
    const double row[] = {age,
                          training,
                          hours,
                          capital,
                          savings,
                          weight,
                          code(education),
                          code(marital),
                          code(occupation),
                          code(workclass),
                          code(relationship),
                          code(sex),
                          code(race),
                          code(country),
                          code(income)};
    for (std::size_t c = 0; c < table.names.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return table;
}

SimulatedTable housing(std::size_t n, std::uint64_t seed) {
  SimulatedTable table{
      {"longitude", "latitude", "age", "rooms", "bedrooms", "population", "households", "income", "value"},
      {},
      "the Markov blanket of value is longitude, latitude, income, age (parents)",
      {}};
  table.columns.resize(table.names.size());
  base::RandomStream random(base::StreamKey(seed).with("housing"));
  for (std::size_t i = 0; i < n; ++i) {
    const bool north = random.below(3) == 0;
    const double latitude = (north ? 37.7 : 34.0) + 0.6 * random.normal();
    const double longitude =
        (north ? -122.2 : -118.2) - 0.8 * (latitude - (north ? 37.7 : 34.0)) + 0.5 * random.normal();
    const double age = std::round(std::clamp(28 + 12 * random.normal(), 1.0, 52.0));
    const double income = std::exp(1.2 + 0.45 * random.normal());
    const double rooms = 3 + 0.6 * income + random.normal(), bedrooms = 0.2 * rooms + 0.15 * random.normal();
    const double population = std::exp(7 + 0.7 * random.normal()),
                 households = population / (3 + 0.4 * random.normal());
    const double coast = std::abs(longitude + 0.8 * latitude + 91);
    const double value = std::exp(0.8 * std::log(income) - 0.5 * coast + 0.004 * age + 0.25 * random.normal());
    const double row[] = {longitude, latitude, age, rooms, bedrooms, population, households, income, value};
    for (std::size_t c = 0; c < table.names.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return table;
}

}  // namespace macmi::experiments
