// Which weights a training ends with (docs/maps.md).
#include "maps/choose_recipe.hpp"

#include <gtest/gtest.h>

namespace macmi::maps {
namespace {

KeptWeights kept_by(const MapsOptions& options, const std::vector<Encoder>& encoders = {Encoder::mlp}) {
  Architecture a;
  for (const Encoder encoder : encoders) a.features.push_back({encoder, encoder == Encoder::gru ? 5U : 1U, 3, 1});
  return choose_recipe(a, 6000, with_preset(options)).keep;
}

TEST(ChooseRecipe, PerceptronsUnderWeightDecayKeepTheirLastWeights) {
  EXPECT_EQ(kept_by({}), KeptWeights::last);
  EXPECT_EQ(kept_by({}, {Encoder::identity, Encoder::mlp}), KeptWeights::last);
  MapsOptions given;
  given.weight_decay = 0.1;
  EXPECT_EQ(kept_by(given), KeptWeights::last);
}

TEST(ChooseRecipe, SeriesTrainingsWithoutDecayAndThePaperKeepTheBestValidated) {
  EXPECT_EQ(kept_by({}, {Encoder::gru}), KeptWeights::best_validated);
  EXPECT_EQ(kept_by({}, {Encoder::mlp, Encoder::gru}), KeptWeights::best_validated);
  MapsOptions none;
  none.weight_decay = 0;
  EXPECT_EQ(kept_by(none), KeptWeights::best_validated);
  for (const MapsPreset preset : {MapsPreset::paper_2d, MapsPreset::paper_3d, MapsPreset::paper_hdd}) {
    MapsOptions paper;
    paper.preset = preset;
    EXPECT_EQ(kept_by(paper), KeptWeights::best_validated);
  }
}

}  // namespace
}  // namespace macmi::maps
