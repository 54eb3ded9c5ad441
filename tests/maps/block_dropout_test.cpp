// The paper's argument for block-dropout, measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "macmi/estimate.hpp"
#include "map_data.hpp"
#include "maps/training/masks.hpp"

namespace macmi::maps {
namespace {

using testing::rings;

double information(const Dataset& mapped, std::size_t feature) {
  EstimateOptions options;
  options.k = NeighbourCount(5);
  return mutual_information(view(mapped.features[feature]), view(mapped.target), options);
}

Dataset radius_of(Dataset data) {
  Feature& f = data.features[0];
  for (std::size_t i = 0; i < data.samples(); ++i)
    f.columns[0].values[i] = std::hypot(f.columns[0].values[i], f.columns[1].values[i]);
  f.columns.resize(1);
  f.channels = 1;
  return data;
}

/// Section 3.1 of the paper: "Suppose X1 and X2 are identical copies …".
// ctest label long: trains maps to the end
TEST(BlockDropout, KeepsTheInformationOfIdenticalFeaturesWhereTheNaiveMaskDoesNot) {
  const Dataset data = rings(1500, 3, 2);
  MapsOptions options;
  options.folds = 1;
  options.restarts = 1;
  options.epochs = 60;
  options.lambda = 0;  // the paper's argument is about the likelihood alone
  const LearnedMaps dropout = learn_maps(data, options);
  // What the same estimator says of the radius, all that X1 knows about Y: its bias, 3% here, is not the maps' fault.
  const double truth = information(radius_of(data), 0);
  const double first = information(dropout.mapped(), 0), second = information(dropout.mapped(), 1);
  EXPECT_NEAR(first / second, 1, 0.05);
  EXPECT_NEAR(first / truth, 1, 0.05);
  EXPECT_NEAR(second / truth, 1, 0.05);
  options.mask_rule = static_cast<int>(MaskRule::all_kept);
  const LearnedMaps naive = learn_maps(data, options);
  const double worst = std::min(information(naive.mapped(), 0), information(naive.mapped(), 1));
  std::printf("I(Y;X1) %.3f, block-dropout %.3f and %.3f, all-ones mask %.3f and %.3f\n", truth, first, second,
              information(naive.mapped(), 0), information(naive.mapped(), 1));
  EXPECT_LT(worst / truth, 0.9);
}

}  // namespace
}  // namespace macmi::maps
