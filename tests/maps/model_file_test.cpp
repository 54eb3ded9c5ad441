// A model that was saved maps new data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "macmi/error.hpp"
#include "map_data.hpp"
#include "maps/every_simd.hpp"
#include "maps/scratch_folder.hpp"

namespace macmi::maps {
namespace {

using testing::mixed;
using testing::quick;

TEST(ModelFile, MapsNewDataAsItMappedTheOld) {
  const Dataset data = mixed(250, 0);
  MapsOptions options = quick();
  options.epochs = 20;
  const LearnedMaps learned = learn_maps(data, options);
  const testing::ScratchFolder scratch;
  learned.save(scratch.path() + "/m");
  const MapModelFile model(scratch.path() + "/m");
  const auto maps = model.apply(data);
  const std::size_t vector = data.feature_index("vector");
  const std::vector<double>& normalised = learned.mapped().features[vector].columns[0].values;
  // The same map up to the normalisation: an affine function of it.
  double low = 1e300, high = -1e300;
  for (std::size_t i = 2; i < 250; ++i) {
    if (i % 50 <= 1) continue;
    const double slope = (maps[vector][0][i] - maps[vector][0][1]) / (normalised[i] - normalised[1]);
    if (std::abs(normalised[i] - normalised[1]) < 0.1) continue;
    low = std::min(low, slope), high = std::max(high, slope);
  }
  EXPECT_NEAR(low / high, 1, 1e-4);
  EXPECT_TRUE(std::isnan(maps[vector][0][50]));
}

std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The file as a whole, for any number of threads and on every instruction set.
TEST(ModelFile, IsTheSameFileWhoeverTrainedIt) {
  const Dataset data = mixed(80, 2);
  MapsOptions options = quick();
  options.epochs = 2;
  options.restarts = 1;
  options.map_width = 4;
  options.surrogate_width = 8;
  const testing::ScratchFolder scratch;
  const auto saved = [&](std::size_t threads) {
    options.threads = threads;
    learn_maps(data, options).save(scratch.path() + "/m");
    return bytes_in(scratch.path() + "/m");
  };
  const std::string one = saved(1);
  EXPECT_GT(one.size(), 1000U);
  EXPECT_TRUE(saved(2) == one);
  EXPECT_TRUE(saved(4) == one);
  testing::for_every_simd([&](const std::string& simd) { EXPECT_TRUE(saved(1) == one) << simd; });
}

TEST(ModelFile, ThatIsNotThereOrNoModelIsRefusedByName) {
  const testing::ScratchFolder scratch;
  const std::string path = scratch.path() + "/m";
  EXPECT_THROW(MapModelFile(path + "/nowhere"), InputError);
  std::ofstream(path) << "something else";
  try {
    const MapModelFile model(path);
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace macmi::maps
