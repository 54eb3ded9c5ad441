// The surrogate's own verdict on conditional dependences.
#include <cmath>

#include "maps/learned_state.hpp"
#include "maps/network/evaluate.hpp"

namespace macmi::maps {
namespace {

/// Mean of log q(y | with) − log q(y | without) over samples that were kept from training, pooled over models.
struct PooledGain {
  double mean = 0, squares = 0, samples = 0;

  void add(const std::vector<double>& gains) {
    const auto n = static_cast<double>(gains.size());
    if (gains.size() < 2) return;
    double sum = 0, spread = 0;
    for (const double gain : gains) sum += gain;
    for (const double gain : gains) spread += (gain - sum / n) * (gain - sum / n);
    mean += sum;  // models hold out different samples
    squares += n * spread / (n - 1);
    samples += n;
  }
  LikelihoodGain result() const {
    if (samples == 0) return {std::nan(""), std::nan("")};
    return {mean / samples, std::sqrt(squares) / samples};
  }
};

/// Features in network order, without those that the networks do not have.
std::vector<std::uint32_t> kept_of(const std::vector<std::optional<std::uint32_t>>& place,
                                   const std::vector<std::size_t>& features) {
  std::vector<std::uint32_t> kept;
  for (const std::size_t f : features)
    if (place[f]) kept.push_back(*place[f]);
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

/// log q(y) of every sample, given the features kept; with none, that of the best constant.
std::vector<double> log_likelihoods(Objective& networks, const NetworkSamples& samples,
                                    std::span<const std::uint32_t> rows, const std::vector<float>& maps,
                                    const std::vector<float>& marginal, const std::vector<std::uint32_t>& kept) {
  const Architecture& a = networks.architecture();
  const std::size_t width = target_numbers(a);
  const std::vector<float> predictions = kept.empty() ? marginal : predict_from_maps(networks, maps, kept);
  Distribution q(a.family, a.predictions());
  std::vector<double> values;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    q.set(std::span(predictions).subspan(kept.empty() ? 0 : r * a.predictions(), a.predictions()));
    values.push_back(q.log_likelihood(samples.target.subspan(rows[r] * width, width)));
  }
  return values;
}

}  // namespace
}  // namespace macmi::maps

namespace macmi {

std::vector<LikelihoodGain> LearnedMaps::gains(const std::vector<GainQuestion>& questions) const {
  const State& s = *state_;
  const maps::TrainingJob job = maps::job_of(s);
  const auto place = maps::places_of(s.coding);
  const std::size_t m = s.coding.features.size();
  std::vector<maps::PooledGain> pooled(questions.size());
  for (std::size_t j = 0; j < s.models.size(); ++j) {
    maps::Objective networks(s.architecture);
    networks.load(s.models[j].parameters);
    // With folds a model has seen nothing of the samples it is applied to; without, nothing of the validation samples.
    const std::vector<std::uint32_t> rows = maps::as_rows(s.folds.empty() ? s.rows[j].valid : s.rows[j].apply);
    const std::vector<float> maps = maps::map_samples(networks, job.samples, rows);
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (questions[q].given.size() + 1 > s.recipe.most_kept) continue;  // more than the surrogate ever saw at once
      std::vector<std::size_t> with = questions[q].given;
      with.push_back(questions[q].feature);
      const std::vector<std::uint32_t> all = maps::kept_of(place, with),
                                       given = maps::kept_of(place, questions[q].given);
      const std::vector<double> after =
          maps::log_likelihoods(networks, job.samples, rows, maps, s.models[j].marginal, all);
      const std::vector<double> before =
          maps::log_likelihoods(networks, job.samples, rows, maps, s.models[j].marginal, given);
      std::vector<double> gains;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const bool complete = std::all_of(all.begin(), all.end(), [&](std::uint32_t f) {
          return job.samples.known.empty() || job.samples.known[rows[r] * m + f] != 0;
        });
        if (complete) gains.push_back(after[r] - before[r]);
      }
      pooled[q].add(gains);
    }
  }
  std::vector<LikelihoodGain> gains;
  for (const maps::PooledGain& gain : pooled) gains.push_back(gain.result());
  return gains;
}

}  // namespace macmi
