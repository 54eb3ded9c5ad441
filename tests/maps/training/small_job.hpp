#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"
#include "maps/training/tournament.hpp"

namespace macmi::testing {

/// Trainings that take milliseconds: two vectors of two numbers and a series of three steps with gaps, a target that
/// hangs on the first vector (or on nothing), and one or two models.
class SmallJob {
 public:
  struct Choice {
    std::size_t samples = 160, models = 1;
    bool noise_alone = false;
    maps::Family family = maps::Family::normal;
  };
  SmallJob() : SmallJob(Choice()) {}
  explicit SmallJob(const Choice& choice) : values_(2), present_(2) {
    base::RandomStream random(base::StreamKey(17).with("small job"));
    const std::size_t n = choice.samples;
    for (std::size_t i = 0; i < n; ++i) {
      double level = 0;
      for (int d = 0; d < 4; ++d) {
        values_[0].push_back(static_cast<float>(random.normal()));
        if (d < 2) level += values_[0].back();
      }
      for (int t = 0; t < 3; ++t) {
        values_[1].push_back(static_cast<float>(random.normal()));
        present_[1].push_back(random.below(5) != 0);
      }
      if (choice.noise_alone) level = random.normal();
      level += 0.3 * random.normal();
      target_.push_back(choice.family == maps::Family::normal ? static_cast<float>(level) : level > 0 ? 1.0F : 0.0F);
    }
    maps::Architecture& a = job.architecture;
    a.features = {{maps::Encoder::mlp, 1, 2, 1}, {maps::Encoder::mlp, 1, 2, 1}, {maps::Encoder::gru, 3, 1, 1}};
    a.map_width = 8, a.gru_states = 3, a.surrogate_width = 16;
    a.family = choice.family;
    a.target_width = choice.family == maps::Family::normal ? 1 : 2;
    maps::Recipe& r = job.recipe;
    r.epochs = 12, r.batch = 20, r.restarts = 2, r.most_kept = 3, r.seed = 4;
    r.learning_rate = 0.02, r.weight_decay = 0.01;
    job.samples.samples = n;
    for (std::size_t g = 0; g < 2; ++g) {
      job.samples.values.emplace_back(values_[g]);
      job.samples.present.emplace_back(present_[g]);
    }
    job.samples.target = target_;
    for (std::size_t m = 0; m < choice.models; ++m) {
      maps::ModelRows& rows = job.rows.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        ((i + m) % 4 == 0 ? rows.valid : rows.train).push_back(static_cast<std::int32_t>(i));
    }
  }
  SmallJob(const SmallJob&) = delete;

  maps::TrainingJob job;

 private:
  std::vector<std::vector<float>> values_;
  std::vector<std::vector<std::uint8_t>> present_;
  std::vector<float> target_;
};

inline void expect_equal(const std::vector<maps::TrainedNetwork>& a, const std::vector<maps::TrainedNetwork>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) {
    EXPECT_EQ(a[j].parameters, b[j].parameters) << "model " << j;
    EXPECT_EQ(a[j].marginal, b[j].marginal);
    EXPECT_EQ(a[j].validation.mean, b[j].validation.mean);
    EXPECT_EQ(a[j].validation.gain_error, b[j].validation.gain_error);
    EXPECT_EQ(a[j].training.gain, b[j].training.gain);
    EXPECT_EQ(a[j].curve.epochs, b[j].curve.epochs);
    EXPECT_EQ(a[j].curve.validation, b[j].curve.validation);
    EXPECT_EQ(a[j].curve.kept, b[j].curve.kept);
  }
}

inline std::vector<maps::TrainedNetwork> train_alone(const maps::TrainingJob& job) {
  maps::TrainingPlace place;
  place.threads = 1;
  return maps::run_tournament(job, place);
}

}  // namespace macmi::testing
