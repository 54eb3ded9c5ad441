// The number of tests that a search expects, against the number that it makes.
#include <gtest/gtest.h>

#include <vector>

#include "experiments/simulations/network.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"

namespace macmi::blanket {
namespace {

struct Foretold {
  std::string stage;
  std::size_t expected;
};

/// Where a hundred features pass the screen, all pairs of them would be many times what a level takes: features fall as
/// soon as one set makes them redundant. A forecast within a factor of three is good enough to plan by.
TEST(Forecast, IsNearWhatASearchTakesFromTheFirstLevelOn) {
  for (const std::size_t features : {30, 100, 300})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Dataset data = experiments::as_dataset(
          experiments::simulate_network({.features = features, .samples = 1000, .seed = seed}).table, 1);
      SelectOptions options;
      options.method = Method::fisherz;
      std::vector<Foretold> foretold;
      SearchHooks hooks;
      hooks.on_progress = [&](const SearchProgress& now) {
        if (foretold.empty() || foretold.back().stage != now.stage) foretold.push_back({now.stage, now.expected});
        return true;
      };
      const Blanket found = find_blanket(*make_selection_test(data, options), {.threads = 1}, {}, hooks);
      ASSERT_GE(foretold.size(), 3u);
      for (const Foretold& f : foretold) {
        if (f.stage == "marginal screen") continue;  // nothing is known of the data yet
        EXPECT_LE(f.expected, 3 * found.tests) << f.stage << ", " << features << " features, seed " << seed;
        EXPECT_GE(3 * f.expected, found.tests) << f.stage << ", " << features << " features, seed " << seed;
      }
    }
}

}  // namespace
}  // namespace macmi::blanket
