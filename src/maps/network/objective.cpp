#include "maps/network/objective.hpp"

#include <algorithm>
#include <cmath>

namespace macmi::maps {
namespace {

/// Rows of the surrogate that go forth and back together: their hidden layers stay in the second-level cache.
constexpr std::size_t tile_rows = 96;

std::vector<std::size_t> columns_of(const FeatureMaps& maps) {
  return {maps.first_column().begin(), maps.first_column().end()};
}

}  // namespace

double map_distance(const float* maps, const float* swapped, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t c = first; c < last; ++c) {
    const double change = static_cast<double>(swapped[c]) - maps[c];
    sum += change * change;
  }
  return sum;
}

struct Objective::Step {
  const NetworkSamples& samples;
  const TrainingBatch& batch;
  double lambda, weight;  ///< weight: of one mask, 1 / masks
  bool with_gradient;
};

Objective::Objective(const Architecture& a)
    : architecture_(a),
      maps_(a),
      surrogate_(columns_of(maps_), a.surrogate_width, a.predictions(), a.activation),
      surrogate_parameter_(parameter_count(a) - surrogate_parameters(a)) {}

void Objective::load(std::span<const float> parameters) {
  maps_.load(parameters);
  surrogate_.load(parameters.data() + surrogate_parameter_);
}

ObjectiveValue Objective::evaluate(const NetworkSamples& samples, const TrainingBatch& batch, double lambda,
                                   std::span<float> gradient) {
  const std::size_t n = batch.rows.size(), masks = batch.masks.size(), numbers = n * maps_.columns();
  const Step step{samples, batch, lambda, 1 / static_cast<double>(masks), !gradient.empty()};
  batch_maps_.resize(numbers);
  maps_.forward(samples, batch.rows, batch_maps_.data(), step.with_gradient);
  if (step.with_gradient) maps_gradient_.assign(numbers, 0.0f);
  ObjectiveValue value;
  for (std::size_t first = 0, last = 0; first < masks; first = last) {
    for (std::size_t rows = 0; last < masks && (last == first || rows + 1 + batch.swaps_of(last).size() <= tile_rows);)
      rows += 1 + batch.swaps_of(last++).size();
    add_tile(step, first, last, value);
  }
  value.log_likelihood *= step.weight;
  value.regulariser *= step.weight;
  value.objective = value.log_likelihood - lambda * value.regulariser;
  if (!step.with_gradient) return value;
  maps_.backward(samples, batch.rows, maps_gradient_.data(), gradient);
  surrogate_.write_gradient(gradient.data() + surrogate_parameter_);
  return value;
}

/// The masks of one tile with their swaps: each mask's own row, then a row for each of its swaps.
void Objective::add_tile(const Step& step, std::size_t first_mask, std::size_t last_mask, ObjectiveValue& sums) {
  const TrainingBatch& batch = step.batch;
  const std::size_t columns = maps_.columns(), target_width = target_numbers(architecture_);
  const std::span<const std::size_t> first_column = maps_.first_column();
  rows_.clear();
  for (auto mask = static_cast<std::uint32_t>(first_mask); mask < last_mask; ++mask) {
    rows_.push_back({mask, batch.masks.sample[mask]});
    for (const SwappedFeature& swap : batch.swaps_of(mask))
      rows_.push_back({mask, batch.masks.sample[mask], swap.feature, swap.lender});
  }
  surrogate_.forward(rows_, batch.masks, batch_maps_.data());
  while (distributions_.size() < rows_.size())
    distributions_.emplace_back(architecture_.family, architecture_.predictions());
  for (std::size_t r = 0; r < rows_.size(); ++r) distributions_[r].set(surrogate_.out(r));

  const std::size_t stride = surrogate_.out_stride();
  float* out_gradient = step.with_gradient ? surrogate_.cleared_out_gradient(rows_.size()).data() : nullptr;
  const auto gradient_of = [&](std::size_t r) { return out_gradient ? out_gradient + r * stride : nullptr; };
  std::size_t own = 0;  // the row of the mask that the swaps after it belong to
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const SurrogateRow& row = rows_[r];
    if (row.swapped == SurrogateRow::none) {
      own = r;
      const std::span<const float> target =
          step.samples.target.subspan(batch.rows[row.sample] * target_width, target_width);
      sums.log_likelihood += distributions_[r].log_likelihood(target, step.weight, gradient_of(r));
      continue;
    }
    const float *here = batch_maps_.data() + row.sample * columns, *there = batch_maps_.data() + row.lender * columns;
    const std::size_t first = first_column[row.swapped], last = first_column[row.swapped + 1];
    const double gap =
        map_distance(here, there, first, last) - Distribution::jeffreys(distributions_[own], distributions_[r]);
    sums.regulariser += std::fabs(gap);
    if (!out_gradient || gap == 0) continue;
    const double pull = std::copysign(step.lambda * step.weight, gap);  // −∂(objective)/∂(distance)
    Distribution::add_jeffreys_gradient(distributions_[own], distributions_[r], pull, gradient_of(own), gradient_of(r));
    for (std::size_t c = first; c < last; ++c) {
      const auto change = static_cast<float>(2 * pull * (static_cast<double>(there[c]) - here[c]));
      maps_gradient_[row.lender * columns + c] -= change;
      maps_gradient_[row.sample * columns + c] += change;
    }
  }
  if (out_gradient) surrogate_.backward(rows_, batch.masks, batch_maps_.data(), maps_gradient_.data());
}

std::vector<float> Objective::predict(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps) {
  std::vector<float> all;
  all.reserve(rows.size() * architecture_.predictions());
  for (std::size_t begin = 0; begin < rows.size(); begin += tile_rows) {
    const std::span<const SurrogateRow> tile = rows.subspan(begin, std::min(tile_rows, rows.size() - begin));
    surrogate_.forward(tile, masks, maps);
    for (std::size_t r = 0; r < tile.size(); ++r) {
      const std::span<const float> own = surrogate_.out(r);
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  return all;
}

}  // namespace macmi::maps
