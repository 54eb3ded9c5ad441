#include "experiments/simulations/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "blanket/graphs.hpp"
#include "experiments/simulations/simulated_dataset.hpp"

namespace macmi::experiments {
namespace {

NetworkOptions options(NetworkFamily family, std::uint64_t seed) {
  return {.features = 40, .samples = 60, .family = family, .seed = seed};
}

constexpr NetworkFamily all_families[] = {NetworkFamily::linear,        NetworkFamily::additive,
                                          NetworkFamily::postnonlinear, NetworkFamily::mlp,
                                          NetworkFamily::interactions,  NetworkFamily::mixed};

/// The words x0, x1, … of a text. (GCC 12 does not compile std::regex with sanitizers and -Werror.)
std::set<std::string> features_in(const std::string& text) {
  std::set<std::string> found;
  for (std::size_t x = text.find('x'); x != std::string::npos; x = text.find('x', x + 1)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", x + 1), text.size());
    if (end > x + 1) found.insert(text.substr(x, end - x));
  }
  return found;
}

/// The blanket is the smallest set that separates the target from all others: checked with Lauritzen's criterion, which
/// shares nothing with markov_blanket().
TEST(Network, TheTruthIsTheBlanketOfTheGraph) {
  for (const NetworkFamily family : all_families)
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const SimulatedNetwork network = simulate_network(options(family, seed));
      ASSERT_EQ(network.table.names.size(), 41u);
      EXPECT_EQ(network.table.names.back(), "y");
      ASSERT_FALSE(network.blanket.empty());
      const std::set<std::string> told = features_in(network.table.truth);
      EXPECT_EQ(std::vector<std::string>(told.begin(), told.end()), network.blanket);
      std::vector<std::size_t> blanket;
      for (std::size_t node = 0; node < network.target(); ++node)
        if (told.count(network.table.names[node])) blanket.push_back(node);
      for (std::size_t node = 0; node < network.target(); ++node) {
        std::vector<std::size_t> given = blanket;
        std::erase(given, node);
        EXPECT_EQ(testing::separated_in_moral_graph(network.dag, node, network.target(), given),
                  told.count(network.table.names[node]) == 0);
      }
    }
}

TEST(Network, SamplesAreFiniteVaryAndComeAgain) {
  for (const NetworkFamily family : all_families) {
    const SimulatedNetwork network = simulate_network(options(family, 7)), again = simulate_network(options(family, 7));
    EXPECT_EQ(network.table.columns, again.table.columns);
    for (const std::vector<double>& column : network.table.columns) {
      EXPECT_TRUE(std::all_of(column.begin(), column.end(), [](double v) { return std::isfinite(v); }));
      EXPECT_GT(std::set<double>(column.begin(), column.end()).size(), 1u);
    }
    EXPECT_NE(network.table.columns, simulate_network(options(family, 8)).table.columns);
  }
}

/// Tails that grow from parents to children would leave one sample with nearly all of a column's variance, and nothing
/// to learn from the others. The largest of 1,000 squares of a normal number is about 0.012 of their sum.
TEST(Network, NoSampleOutweighsAllOthers) {
  for (const NetworkFamily family : all_families) {
    const SimulatedNetwork network = simulate_network({.features = 300, .samples = 1000, .family = family, .seed = 11});
    for (const std::vector<double>& column : network.table.columns) {
      const double mean = std::accumulate(column.begin(), column.end(), 0.0) / 1000;
      double sum = 0, largest = 0;
      for (const double v : column) {
        sum += (v - mean) * (v - mean);
        largest = std::max(largest, (v - mean) * (v - mean));
      }
      EXPECT_LT(largest, sum / 2) << network_family_names[static_cast<std::size_t>(family)];
    }
  }
}

TEST(Network, HasAMeanDegreeNearFour) {
  double edges = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SimulatedNetwork network =
        simulate_network({.features = 100, .samples = 20, .family = NetworkFamily::linear, .seed = seed});
    for (std::size_t node = 0; node < network.dag.nodes(); ++node)
      edges += static_cast<double>(network.dag.parents(node).size());
  }
  // 2020 nodes of two parents each but for the cut at five: 0.5% of the mean is one standard error of 0.03.
  EXPECT_NEAR(2 * edges / (20 * 101), 3.9, 0.2);
}

TEST(Network, ClassesBecomeCategories) {
  const Dataset data = as_dataset(simulate_network(options(NetworkFamily::mixed, 1)).table, 1);
  const auto categorical = std::count_if(data.features.begin(), data.features.end(),
                                         [](const Feature& f) { return f.columns.front().is_categorical(); });
  EXPECT_GT(categorical, 3);
  EXPECT_LT(categorical, 25);
}

}  // namespace
}  // namespace macmi::experiments
