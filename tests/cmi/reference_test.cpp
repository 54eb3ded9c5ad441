// Values that other tools give on fixed data: JIDT, NPEET, knncmi and plain brute-force programs
// (tests/oracle/reference says which is which). The file holds 12 significant digits, hence the tolerance of 1e-9.
#include <gtest/gtest.h>

#include "macmi/estimate.hpp"
#include "oracle/reference_data.hpp"

namespace macmi::estimation {
namespace {

using oracle::ReferenceData;
using oracle::ReferenceValue;

Transform transform_of(const std::string& name) {
  if (name == "standardize") return Transform::standardize;
  if (name == "ranks") return Transform::ranks;
  return Transform::none;
}

double ours(const ReferenceValue& reference, Engine engine) {
  const ReferenceData data(reference.data);
  EstimateOptions options;
  options.k = static_cast<double>(reference.k);
  options.transform = transform_of(reference.transform);
  options.engine = engine;
  const bool mixed = reference.tool == "ms_exact_bruteforce" || reference.tool == "knncmi";
  options.ties = mixed ? TieRule::mixed : TieRule::continuous;
  if (reference.transform == "none-categorical01") {
    options.categorical = CategoricalMetric::unit01;
    const oracle::AsCategories x(data.x), y(data.y), z(data.z);
    return cmi(x.view, y.view, z.view, options);
  }
  return cmi(data.x, data.y, reference.tool.ends_with("MI_xy") ? Variable() : data.z, options);
}

class ReferenceTool : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceTool, AgreesOnEveryCase) {
  std::size_t compared = 0;
  for (const ReferenceValue& reference : oracle::reference_values()) {
    if (reference.tool != GetParam()) continue;
    const auto agrees = [&](Engine engine) {
      EXPECT_NEAR(ours(reference, engine), reference.value, 1e-9)
          << reference.data << " " << reference.transform << " k=" << reference.k;
    };
    agrees(Engine::fast);
    if (reference.k == 5) agrees(Engine::brute_force);
    ++compared;
  }
  EXPECT_GE(compared, 9u);
}

INSTANTIATE_TEST_SUITE_P(Tools, ReferenceTool,
                         testing::Values("fp_exact_bruteforce", "fp_exact_MI_xy", "npeet_mi_xyz", "jidt_ksg1",
                                         "ms_exact_bruteforce", "knncmi"),
                         [](const auto& tool) { return tool.param; });

/// sklearn scales by the standard deviation and adds noise of 1e-10 of it: equal up to that noise where no distances
/// tie, so up to the effect of a handful of neighbours changing places, each worth about 1/(n k).
TEST(ReferenceSklearn, AgreesUpToItsNoise) {
  std::size_t compared = 0;
  for (const ReferenceValue& reference : oracle::reference_values()) {
    if (reference.tool != "sklearn_MI_xy" || !reference.data.starts_with("gauss")) continue;
    const ReferenceData data(reference.data);
    EstimateOptions options;
    options.k = static_cast<double>(reference.k);
    options.transform = Transform::standardize;
    EXPECT_NEAR(std::max(0.0, mutual_information(data.x, data.y, options)), reference.value, 1e-3) << reference.data;
    ++compared;
  }
  EXPECT_EQ(compared, 9u);
}

}  // namespace
}  // namespace macmi::estimation
