#include "experiments/simulations/post_nonlinear.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "macmi/estimate.hpp"

namespace macmi::experiments {
namespace {

TEST(PostNonlinear, InformationFollowsTheGraph) {
  const SimulatedTable t = post_nonlinear(4000, 0.3, 3);
  const auto& x1 = t.columns[0];
  const auto& x3 = t.columns[2];
  const auto& x4 = t.columns[3];
  const auto& x7 = t.columns[6];
  const auto& y = t.columns[8];
  // The estimator's sd is about sqrt(1.4 / n) = 0.019; independent pairs stay within 4 of it, dependent ones far above.
  EXPECT_GT(mutual_information(x1, y), 0.1);
  EXPECT_LT(std::abs(mutual_information(x4, y)), 0.075);
  EXPECT_GT(cmi(x4, y, x3), 0.1);  // the co-parent shows once the child is known
  EXPECT_LT(std::abs(mutual_information(x7, y)), 0.075);
}

}  // namespace
}  // namespace macmi::experiments
