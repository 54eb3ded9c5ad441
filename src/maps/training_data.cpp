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

at::Tensor draw_masks(MaskSampler& sampler, RandomStream& random, const TrainingData& data, const at::Tensor& rows,
                      std::size_t features) {
  at::Tensor mask = at::empty({rows.size(0), i64(features)});
  for (std::int64_t k = 0; k < rows.size(0); ++k)
    sampler.draw(random, {mask.data_ptr<float>() + k * i64(features), features});
  if (data.known.defined()) mask *= data.known.index_select(0, rows);
  return mask;
}

TrainingBatch draw_batch(const TrainingData& data, const at::Tensor& rows, const Architecture& architecture,
                         MaskSampler& sampler, RandomStream& random, bool with_pairs) {
  const std::size_t m = architecture.features.size(), n = static_cast<std::size_t>(rows.size(0));
  TrainingBatch batch;
  batch.features = features_of(data, rows);
  if (data.target.defined()) batch.target = data.target.index_select(0, rows);
  batch.mask = draw_masks(sampler, random, data, rows, m);
  if (!with_pairs) return batch;
  at::Tensor known;
  if (data.known.defined()) known = data.known.index_select(0, rows);
  std::vector<std::int64_t> sample, feature, swapped;
  const float* mask = batch.mask.data_ptr<float>();
  for (std::size_t i = 0; i < m; ++i) {
    const std::vector<std::int64_t> shuffle = random_permutation(n, random);
    if (architecture.features[i].encoder == Encoder::identity) continue;
    for (std::size_t k = 0; k < n; ++k) {
      if (mask[k * m + i] == 0) continue;
      if (known.defined() && known.data_ptr<float>()[static_cast<std::size_t>(shuffle[k]) * m + i] == 0) continue;
      sample.push_back(i64(k));
      feature.push_back(i64(i));
      swapped.push_back(shuffle[k]);
    }
  }
  batch.pair_sample = as_tensor(sample);
  batch.pair_feature = as_tensor(feature);
  batch.pair_swapped = as_tensor(swapped);
  return batch;
}

}  // namespace macmi
