// The fused kernel against the formulas in double precision, in value and gradient.
#include "maps/gru/fused_gru.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "gru_cases.hpp"
#include "maps/every_simd.hpp"

namespace macmi::maps {
namespace {

using testing::fused;
using testing::gru_cases;
using testing::GruCase;
using testing::GruExample;
using testing::GruOutcome;
using testing::same_bits;

/// Single precision has 6e-8 per operation; over tens of steps of random sign that is some 1e-6.
TEST(FusedGru, EqualsTheFormulasInDoublePrecision) {
  for (const GruCase& c : gru_cases()) {
    SCOPED_TRACE(name(c));
    const GruExample e(c, 4);
    const std::vector<double> exact(e.parameters.begin(), e.parameters.end());
    const std::vector<float> last = fused(e).last;
    for (std::size_t g = 0; g < c.shape.groups; ++g) {
      const std::vector<double> want = plain_last_states(e, exact, g);
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_NEAR(last[g * want.size() + i], want[i], 3e-6) << g << " " << i;
    }
  }
}

/// Some twenty parameters of every case, spread over all of them. Differences of double precision err by h² f‴ ≈ 1e-9
/// of sums over samples and steps; the kernel's single precision by 1e-5 of the largest entry.
TEST(FusedGru, GradientsEqualNumericalDifferences) {
  for (const GruCase& c : gru_cases()) {
    SCOPED_TRACE(name(c));
    const GruExample e(c, 4);
    const std::vector<float> gradient = fused(e).gradient;
    float largest = 1e-3F;
    for (const float g : gradient) largest = std::max(largest, std::fabs(g));
    std::vector<double> at(e.parameters.begin(), e.parameters.end());
    const auto loss = [&](std::size_t group) {
      const std::vector<double> last = plain_last_states(e, at, group);
      double sum = 0;
      for (std::size_t i = 0; i < last.size(); ++i) sum += e.direction[group * last.size() + i] * last[i];
      return sum;
    };
    const std::size_t stride = std::max<std::size_t>(1, at.size() / 20);
    for (std::size_t i = 0; i < at.size(); i += stride) {
      constexpr double h = 1e-5;
      const std::size_t group = e.group_of(i);
      at[i] = e.parameters[i] + h;
      const double above = loss(group);
      at[i] = e.parameters[i] - h;
      const double below = loss(group);
      at[i] = e.parameters[i];
      EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-5 * largest) << "parameter " << i << " of " << at.size();
    }
  }
}

// ctest label threads: one thread against several
TEST(FusedGru, SameBitsForAnyNumberOfThreads) {
  for (const GruCase& c : gru_cases()) {
    SCOPED_TRACE(name(c));
    const GruExample e(c, 5);
    const GruOutcome one = fused(e, 1);
    for (const std::size_t threads : {2, 3, 4}) {
      const GruOutcome many = fused(e, threads);
      EXPECT_TRUE(same_bits(one.last, many.last));
      EXPECT_TRUE(same_bits(one.gradient, many.gradient));
    }
  }
}

void expect_same_bits(const GruCase& c, const std::vector<std::string>& targets) {
  SCOPED_TRACE(name(c));
  const GruExample e(c, 6);
  const GruOutcome best = fused(e);
  testing::with_each(targets, [&](const std::string& simd) {
    const GruOutcome other = fused(e);
    EXPECT_TRUE(same_bits(best.last, other.last)) << simd;
    EXPECT_TRUE(same_bits(best.gradient, other.gradient)) << simd;
  });
}

TEST(FusedGru, SameBitsOnEveryInstructionSet) {
  for (const GruCase& c : gru_cases()) expect_same_bits(c, testing::fusing_targets());
  // Where the fused multiply-add is emulated: small ones, but with several blocks, ranges, chunks and layers.
  for (const GruCase& c : {GruCase{{2, 5, 7, 1, 3, 1}}, GruCase{{2, 6, 18, 5, 7, 2}, GruCase::Present::scattered},
                           GruCase{{1, 70, 3, 2, 5, 3}, GruCase::Present::lengths}})
    expect_same_bits(c, base::simd_targets());
}

TEST(FusedGru, SameStateWithoutABackwardPass) {
  for (const GruCase& c : gru_cases()) {
    const GruExample e(c, 6);
    std::vector<float> last(e.direction.size());
    gru_forward(e.shape, e.series(), e.parts<GruLayerWeights>(e.parameters.data()), nullptr, last.data());
    EXPECT_TRUE(same_bits(fused(e).last, last)) << name(c);
  }
}

/// What a batch keeps for its gradient, at the size of the drives, is small beside the batch's own gates.
TEST(FusedGru, KeepsLittle) {
  EXPECT_LT(gru_kept_size({36, 256, 90, 1, 16, 2}) * sizeof(float), std::size_t{16} << 20);
}

TEST(FusedGru, ValuesOfMissingStepsDoNotMatter) {
  GruExample e({{2, 21, 35, 2, 5, 2}, GruCase::Present::scattered}, 7);
  const GruOutcome before = fused(e);
  for (std::size_t s = 0; s < e.valid.size(); ++s)
    for (std::size_t c = 0; e.valid[s] == 0 && c < 2; ++c) e.x[2 * s + c] = std::numeric_limits<float>::quiet_NaN();
  const GruOutcome after = fused(e);
  EXPECT_TRUE(same_bits(before.last, after.last));
  EXPECT_TRUE(same_bits(before.gradient, after.gradient));
}

TEST(FusedGru, PassesItsStateOverMissingSteps) {
  GruExample e({{1, 1, 5, 2, 3, 2}}, 8), cut({{1, 1, 3, 2, 3, 2}}, 8);
  e.valid = {1, 0, 1, 1, 0};
  cut.parameters = e.parameters, cut.direction = e.direction;
  cut.x = {e.x[0], e.x[1], e.x[4], e.x[5], e.x[6], e.x[7]};
  const GruOutcome with_gaps = fused(e), without = fused(cut);
  EXPECT_TRUE(same_bits(with_gaps.last, without.last));
  for (std::size_t i = 0; i < e.parameters.size(); ++i) EXPECT_NEAR(with_gaps.gradient[i], without.gradient[i], 1e-6);
}

TEST(FusedGru, ASampleDoesNotSeeTheOthers) {
  const GruExample e({{1, 45, 12, 2, 6, 2}, GruCase::Present::lengths}, 8);
  const std::vector<float> all = fused(e).last;
  for (const std::size_t b : {0, 17, 44}) {
    GruExample alone = e;
    alone.shape.samples = 1;
    alone.x.assign(e.x.begin() + static_cast<std::ptrdiff_t>(b * 24),
                   e.x.begin() + static_cast<std::ptrdiff_t>((b + 1) * 24));
    alone.valid.assign(e.valid.begin() + static_cast<std::ptrdiff_t>(b * 12),
                       e.valid.begin() + static_cast<std::ptrdiff_t>((b + 1) * 12));
    const std::vector<float> own = fused(alone).last;
    EXPECT_TRUE(std::equal(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(b * 6))) << b;
  }
}

TEST(FusedGru, ADivergedSeriesShows) {
  GruExample e({{1, 20, 9, 1, 4, 2}}, 9);
  e.x[3 * 9 + 4] = std::numeric_limits<float>::quiet_NaN();
  testing::for_every_simd([&](const std::string& simd) {
    const std::vector<float> last = fused(e).last;
    for (std::size_t i = 0; i < last.size(); ++i) EXPECT_EQ(std::isnan(last[i]), i / 4 == 3) << simd << " " << i;
  });
}

TEST(FusedGru, NoSamplesAndNoStepsGiveEmptyAndZeroStates) {
  for (const GruCase& c : {GruCase{{2, 0, 5, 1, 3, 2}}, GruCase{{2, 4, 0, 1, 3, 2}}}) {
    const GruOutcome outcome = fused(GruExample(c, 10));
    EXPECT_EQ(outcome.last, std::vector<float>(2 * c.shape.samples * 3, 0.0F));
    EXPECT_EQ(outcome.gradient, std::vector<float>(outcome.gradient.size(), 0.0F));
  }
  GruExample nothing_there({{1, 3, 20, 1, 4, 2}}, 11);
  nothing_there.valid.assign(3 * 20, 0);
  const GruOutcome outcome = fused(nothing_there);
  EXPECT_EQ(outcome.last, std::vector<float>(12, 0.0F));
  EXPECT_EQ(outcome.gradient, std::vector<float>(outcome.gradient.size(), 0.0F));
}

}  // namespace
}  // namespace macmi::maps
