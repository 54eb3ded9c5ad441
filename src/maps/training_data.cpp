#include "maps/training_data.hpp"

#include <fmt/format.h>

#include "base/random.hpp"

namespace macmi {
namespace {

/// A tensor over memory that somebody else owns and nobody writes to.
template <class T>
at::Tensor over(std::span<const T> values, std::vector<std::int64_t> shape, at::ScalarType type) {
  return at::from_blob(const_cast<T*>(values.data()), shape, at::TensorOptions(type));
}

std::int64_t i64(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

void expect(const ArrayFile& job, const std::string& name, std::size_t have, std::size_t want) {
  if (have != want) job.refuse(fmt::format("'{}' has {} values where {} are needed", name, have, want));
}

}  // namespace

TrainingData get_training_data(const ArrayFile& job, const Architecture& architecture) {
  TrainingData data;
  data.samples = job.integer("samples", 1, std::int64_t{1} << 40);
  const auto n = static_cast<std::size_t>(data.samples);
  const std::vector<MapGroup> groups = groups_of(architecture);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t row = groups[g].shape.steps * groups[g].shape.width;
    const std::string name = fmt::format("x{}", g), steps = fmt::format("steps{}", g);
    const auto values = job.floats(name);
    expect(job, name, values.size(), n * groups[g].count * row);
    data.values.push_back(over(values, {data.samples, i64(groups[g].count), i64(row)}, at::kFloat));
    data.present.emplace_back();
    if (!job.has(steps)) continue;
    expect(job, steps, job.bytes(steps).size(), n * groups[g].count * groups[g].shape.steps);
    data.present.back() =
        over(job.bytes(steps), {data.samples, i64(groups[g].count), i64(groups[g].shape.steps)}, at::kByte);
  }
  if (job.has("known")) {
    expect(job, "known", job.bytes("known").size(), n * architecture.features.size());
    data.known = over(job.bytes("known"), {data.samples, i64(architecture.features.size())}, at::kByte).to(at::kFloat);
  }
  if (!job.has("y")) return data;
  const std::size_t width = architecture.family == Family::normal ? architecture.target_width : 1;
  expect(job, "y", job.floats("y").size(), n * width);
  data.target = over(job.floats("y"), {data.samples, i64(width)}, at::kFloat);
  if (architecture.family == Family::categorical) data.target = data.target.to(at::kLong);
  return data;
}

FeatureBatch features_of(const TrainingData& data, const at::Tensor& rows) {
  FeatureBatch batch;
  for (std::size_t g = 0; g < data.values.size(); ++g) {
    batch.values.push_back(data.values[g].index_select(0, rows));
    batch.present.push_back(data.present[g].defined() ? data.present[g].index_select(0, rows).to(at::kFloat)
                                                      : at::Tensor());
  }
  return batch;
}

at::Tensor as_tensor(std::span<const std::int32_t> rows) {
  return over(rows, {i64(rows.size())}, at::kInt).to(at::kLong);
}
at::Tensor as_tensor(std::span<const std::int64_t> rows) {
  return over(rows, {i64(rows.size())}, at::kLong).clone();
}

at::Tensor known_of(const TrainingData& data, const at::Tensor& rows) {
  return data.known.defined() ? data.known.index_select(0, rows) : at::Tensor();
}

void draw_masks(MaskDraw draw, RandomStream& random, const at::Tensor& known, std::size_t features,
                TrainingBatch& batch) {
  const auto samples = static_cast<std::size_t>(batch.target.size(0));
  std::vector<float> masks;
  std::vector<std::int64_t> of_sample;
  if (!draw.cover) masks.resize(samples * features);
  for (std::size_t k = 0; k < samples; ++k)
    if (draw.cover)
      of_sample.insert(of_sample.end(), draw.sampler.draw_cover(random, masks), i64(k));
    else
      draw.sampler.draw(random, {masks.data() + k * features, features});
  batch.mask = over(std::span<const float>(masks), {i64(masks.size() / features), i64(features)}, at::kFloat).clone();
  if (draw.cover) batch.mask_sample = as_tensor(of_sample);
  if (known.defined()) batch.mask *= draw.cover ? known.index_select(0, batch.mask_sample) : known;
}

namespace {

/// For each feature a shuffle of the samples, for each mask that keeps it a pair.
void draw_pairs(const Architecture& architecture, RandomStream& random, const at::Tensor& known, TrainingBatch& batch) {
  const std::size_t m = architecture.features.size(), masks = static_cast<std::size_t>(batch.mask.size(0)),
                    n = static_cast<std::size_t>(batch.target.size(0));
  const float* mask = batch.mask.data_ptr<float>();
  const std::int64_t* of_mask = batch.mask_sample.defined() ? batch.mask_sample.data_ptr<std::int64_t>() : nullptr;
  std::vector<std::int64_t> row, sample, feature, swapped;
  for (std::size_t i = 0; i < m; ++i) {
    const std::vector<std::int64_t> shuffle = random_permutation(n, random);
    if (architecture.features[i].encoder == Encoder::identity) continue;
    for (std::size_t r = 0; r < masks; ++r) {
      if (mask[r * m + i] == 0) continue;
      const std::size_t k = of_mask != nullptr ? static_cast<std::size_t>(of_mask[r]) : r;
      if (known.defined() && known.data_ptr<float>()[static_cast<std::size_t>(shuffle[k]) * m + i] == 0) continue;
      row.push_back(i64(r));
      sample.push_back(i64(k));
      feature.push_back(i64(i));
      swapped.push_back(shuffle[k]);
    }
  }
  batch.pair_mask = as_tensor(row);
  batch.pair_sample = as_tensor(sample);
  batch.pair_feature = as_tensor(feature);
  batch.pair_swapped = as_tensor(swapped);
}

}  // namespace

TrainingBatch draw_batch(const TrainingData& data, const at::Tensor& rows, const Architecture& architecture,
                         MaskDraw draw, RandomStream& random, bool with_pairs) {
  TrainingBatch batch;
  batch.features = features_of(data, rows);
  batch.target = data.target.index_select(0, rows);
  const at::Tensor known = known_of(data, rows);
  draw_masks(draw, random, known, architecture.features.size(), batch);
  if (with_pairs) draw_pairs(architecture, random, known, batch);
  return batch;
}

}  // namespace macmi
