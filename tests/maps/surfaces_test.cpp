// What a report shows of a training.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "map_data.hpp"

namespace macmi::maps {
namespace {

using testing::rings;

// ctest label long: trains maps to the end
TEST(LearnMaps, CurvesAndSurfaceTellWhatWasLearned) {
  const Dataset data = rings(1000, 4, 1);
  MapsOptions options;
  options.map_dim = 2;
  options.epochs = 40;
  options.restarts = 1;
  options.folds = 1;
  const LearnedMaps maps = learn_maps(data, options);
  const std::vector<TrainingCurve> curves = maps.curves();
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_EQ(curves[0].epochs.size(), curves[0].training.size());
  ASSERT_EQ(curves[0].epochs.size(), curves[0].validation.size());
  EXPECT_EQ(curves[0].epochs.back(), 40);
  EXPECT_TRUE(std::is_sorted(curves[0].epochs.begin(), curves[0].epochs.end()));
  EXPECT_EQ(std::count(curves[0].epochs.begin(), curves[0].epochs.end(), curves[0].kept), 1);
  EXPECT_GT(curves[0].training.back(), curves[0].training.front());

  // Where a sample falls on the plane the surrogate's mean is near its target: in the target's own units the noise is
  // 0.3, the deviation of the target about 1.5.
  const auto surface = maps.surfaces({0})[0];
  ASSERT_TRUE(surface.has_value());
  ASSERT_EQ(surface->mean.size(), surface->columns * surface->rows);
  const auto cell = [](double value, double low, double high, std::size_t cells) {
    return static_cast<std::size_t>(std::lround((value - low) / (high - low) * static_cast<double>(cells - 1)));
  };
  const std::vector<DataColumn>& plane = maps.mapped().features[0].columns;
  const std::vector<double>& y = data.target.columns[0].values;
  double squares = 0, spread = 0;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = cell(plane[0].values[i], surface->x_low, surface->x_high, surface->columns),
                      r = cell(plane[1].values[i], surface->y_low, surface->y_high, surface->rows);
    squares += std::pow(surface->mean[r * surface->columns + c] - y[i], 2);
    spread += std::pow(y[i] - mean, 2);
  }
  EXPECT_LT(squares, 0.3 * spread);
  MapsOptions line = options;
  line.map_dim = 1;
  line.epochs = 2;
  EXPECT_FALSE(learn_maps(data, line).surfaces({0})[0].has_value());
}

}  // namespace
}  // namespace macmi::maps
