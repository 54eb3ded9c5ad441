// learn_maps that is stopped by its callback and called again.
#include <gtest/gtest.h>

#include <filesystem>

#include "macmi/error.hpp"
#include "map_data.hpp"
#include "maps/scratch_folder.hpp"

namespace macmi::maps {
namespace {

using testing::all_values;
using testing::mixed;
using testing::quick;

/// Stopped as soon as a first training was kept, or at the first question if that comes later: where it stops depends
/// on the machine, what comes out must not.
TEST(InterruptedLearning, EndsWithTheSameBits) {
  const Dataset data = mixed(600, 2);
  MapsOptions options = quick();
  options.folds = 2;
  options.epochs = 20;
  options.threads = 2;
  const std::vector<double> whole = all_values(learn_maps(data, options).mapped());
  const testing::ScratchFolder folder;
  MapsHooks hooks;
  hooks.folder = folder.path() + "/checkpoints";
  std::size_t stops = 0;
  hooks.on_progress = [&](const MapsProgress&) { return std::filesystem::is_empty(hooks.folder) || ++stops > 1; };
  try {
    learn_maps(data, options, hooks);
  } catch (const Cancelled&) {
  }
  EXPECT_EQ(all_values(learn_maps(data, options, hooks).mapped()), whole);
}

}  // namespace
}  // namespace macmi::maps
