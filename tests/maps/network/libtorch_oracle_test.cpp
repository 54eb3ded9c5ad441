// The networks, the objective and its gradient against what LibTorch gave (tests/oracle/libtorch).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "maps/network/plain_objective.hpp"
#include "oracle/folder.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

using Numbers = std::vector<double>;

struct Case {
  std::string name;
  std::map<std::string, Numbers> of;
};

std::vector<Case> cases() {
  std::ifstream file(oracle::folder() + "/libtorch/objective.txt");
  std::vector<Case> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.empty() || name[0] == '#') continue;
    if (name == "case") {
      words >> all.emplace_back().name;
      continue;
    }
    Numbers& numbers = all.back().of[name];
    for (double value; words >> value;) numbers.push_back(value);
    const bool counted = numbers.size() > 1;
    if (counted) numbers.erase(numbers.begin());
  }
  return all;
}

Architecture architecture_of(const Case& c) {
  const auto family = static_cast<Family>(c.of.at("family")[0]);
  Architecture a =
      testing::small_architecture(family, static_cast<Activation>(c.of.at("activation")[0]), c.of.at("scaled")[0] != 0);
  a.map_width = 3;
  a.gru_states = 2;
  a.surrogate_width = 4;
  return a;
}

template <class To>
std::vector<To> as(const Numbers& numbers) {
  return std::vector<To>(numbers.begin(), numbers.end());
}

/// The case's samples and batch, in the forms that the library takes.
struct Problem {
  explicit Problem(const Case& c, const Architecture& a) {
    const std::size_t groups = groups_of(a).size(), m = a.features.size();
    for (std::size_t g = 0; g < groups; ++g) {
      values.push_back(as<float>(c.of.at("values" + std::to_string(g))));
      const auto found = c.of.find("present" + std::to_string(g));
      present.push_back(found == c.of.end() ? std::vector<std::uint8_t>{} : as<std::uint8_t>(found->second));
    }
    target = as<float>(c.of.at("target"));
    samples.samples = 6;
    for (std::size_t g = 0; g < groups; ++g)
      samples.values.emplace_back(values[g]), samples.present.emplace_back(present[g]);
    samples.target = target;
    for (std::uint32_t k = 0; k < samples.samples; ++k) batch.rows.push_back(k);
    const Numbers &mask = c.of.at("mask"), &of_mask = c.of.at("mask_sample"), &pair_mask = c.of.at("pair_mask");
    batch.first_swap = {0};
    for (std::size_t r = 0; r < of_mask.size(); ++r) {
      std::vector<std::uint32_t> kept;
      for (std::uint32_t i = 0; i < m; ++i)
        if (mask[r * m + i] != 0) kept.push_back(i);
      batch.masks.add(static_cast<std::uint32_t>(of_mask[r]), kept);
      for (std::size_t q = 0; q < pair_mask.size(); ++q)
        if (pair_mask[q] == static_cast<double>(r))
          batch.swaps.push_back({static_cast<std::uint32_t>(c.of.at("pair_feature")[q]),
                                 static_cast<std::uint32_t>(c.of.at("pair_swapped")[q])});
      batch.first_swap.push_back(static_cast<std::uint32_t>(batch.swaps.size()));
    }
  }
  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::uint8_t>> present;
  std::vector<float> target;
  NetworkSamples samples;
  TrainingBatch batch;
};

/// Single precision through a few layers errs by some 1e-7 of numbers around 1; what is printed has 8 digits.
constexpr double tolerance = 1e-5;

TEST(LibTorchOracle, MapsPredictionsObjectiveAndGradientAgree) {
  const std::vector<Case> all = cases();
  ASSERT_EQ(all.size(), 9U);
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    const Architecture a = architecture_of(c);
    const Problem problem(c, a);
    const std::vector<float> parameters = as<float>(c.of.at("parameters"));
    ASSERT_EQ(parameters.size(), parameter_count(a));
    const double lambda = c.of.at("lambda")[0];
    TrainingBatch batch = problem.batch;
    if (lambda == 0) batch.first_swap.clear(), batch.swaps.clear();

    Objective objective(a);
    objective.load(parameters);
    std::vector<float> maps(problem.samples.samples * a.map_columns());
    objective.maps().forward(problem.samples, batch.rows, maps.data(), false);
    for (std::size_t i = 0; i < maps.size(); ++i) EXPECT_NEAR(maps[i], c.of.at("maps")[i], tolerance) << "map " << i;
    std::vector<SurrogateRow> rows;
    for (std::uint32_t r = 0; r < batch.masks.size(); ++r) rows.push_back({r, batch.masks.sample[r]});
    const std::vector<float> predictions = objective.predict(rows, batch.masks, maps.data());
    ASSERT_EQ(predictions.size(), c.of.at("predictions").size());
    for (std::size_t i = 0; i < predictions.size(); ++i)
      EXPECT_NEAR(predictions[i], c.of.at("predictions")[i], tolerance) << "prediction " << i;

    std::vector<float> gradient(parameters.size());
    const ObjectiveValue value = objective.evaluate(problem.samples, batch, lambda, gradient);
    EXPECT_NEAR(value.log_likelihood, c.of.at("log_likelihood")[0], tolerance);
    EXPECT_NEAR(value.objective, c.of.at("objective")[0], tolerance);
    if (lambda > 0) {
      EXPECT_NEAR(value.regulariser, c.of.at("regulariser")[0], tolerance);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i)
      EXPECT_NEAR(gradient[i], c.of.at("gradient")[i], tolerance) << "parameter " << i;
    const ObjectiveValue plain =
        plain_objective(a, Numbers(parameters.begin(), parameters.end()), problem.samples, batch, lambda);
    EXPECT_NEAR(plain.objective, c.of.at("objective")[0], 1e-7);  // double precision; 8 digits are printed
  }
}

}  // namespace
}  // namespace macmi::maps
