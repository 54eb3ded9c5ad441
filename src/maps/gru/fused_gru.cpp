#include "maps/gru/fused_gru.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "maps/gru/gru_kernel.hpp"
#include "maps/gru/gru_packing.hpp"

namespace macmi::maps {
namespace {

std::size_t blocks_of(std::size_t count, std::size_t size) {
  return (count + size - 1) / size;
}

/// Every group's samples are cut into ranges by their number alone, never by the number of threads: sums over a range
/// are added up in order, so that the threads leave no trace in the bits.
struct Ranges {
  std::size_t samples, size, count;
  explicit Ranges(std::size_t n) : samples(n) {
    constexpr std::size_t least = 64, most_ranges = 16;
    size = std::max(least, blocks_of(blocks_of(n, most_ranges), gru_most_samples) * gru_most_samples);
    count = blocks_of(n, size);
  }
  GruRange operator[](std::size_t i) const { return {i * size, std::min(samples, (i + 1) * size)}; }
};

std::size_t kept_per_group(const GruShape& shape) {
  const std::size_t samples = blocks_of(shape.samples, gru_most_samples) * gru_most_samples;
  return samples * shape.layers * gru_chunks(shape.steps) * gru_padded(shape.hidden);
}

std::vector<PackedGruGroup> pack_groups(const GruShape& shape, std::span<const GruLayerWeights> weights) {
  std::vector<PackedGruGroup> packed;
  packed.reserve(shape.groups);
  for (std::size_t g = 0; g < shape.groups; ++g) packed.emplace_back(shape, weights, g);
  return packed;
}

GruGroup group_of(const GruShape& shape, const GruSeries& series, const PackedGruGroup& packed, std::size_t g) {
  const std::size_t steps = shape.samples * shape.steps;
  return {shape.steps,
          shape.channels,
          shape.layers,
          packed.layers(),
          series.x + g * steps * shape.channels,
          series.valid ? series.valid + (series.valid_shared ? 0 : g * steps) : nullptr};
}

/// The gradients of one group as one vector: per layer, the four parts one after the other.
class GradientLayout {
 public:
  explicit GradientLayout(const GruShape& shape) : shape_(shape) {}
  std::size_t size() const {
    std::size_t total = 0;
    for (std::size_t l = 0; l < shape_.layers; ++l) total += 3 * shape_.hidden * (shape_.inputs(l) + shape_.hidden + 2);
    return total;
  }
  std::vector<GruLayerGradients> views(float* numbers) const {
    std::vector<GruLayerGradients> layers;
    const auto take = [&](std::size_t columns) {
      float* part = numbers;
      numbers += 3 * shape_.hidden * columns;
      return part;
    };
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      GruLayerGradients& layer = layers.emplace_back();
      layer.input = take(shape_.inputs(l));
      layer.recurrent = take(shape_.hidden);
      layer.input_bias = take(1);
      layer.recurrent_bias = take(1);
    }
    return layers;
  }

  /// Puts one group's vector into its place among the groups of every part.
  void copy_out(const float* numbers, std::size_t group, std::span<const GruLayerGradients> to) const {
    const auto part = [&](std::size_t columns, float* out) {
      const std::size_t size = 3 * shape_.hidden * columns;
      std::copy_n(numbers, size, out + group * size);
      numbers += size;
    };
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      part(shape_.inputs(l), to[l].input);
      part(shape_.hidden, to[l].recurrent);
      part(1, to[l].input_bias);
      part(1, to[l].recurrent_bias);
    }
  }

 private:
  const GruShape& shape_;
};

}  // namespace

std::size_t gru_kept_size(const GruShape& shape) {
  return shape.groups * kept_per_group(shape);
}

void gru_forward(const GruShape& shape, const GruSeries& series, std::span<const GruLayerWeights> weights, float* kept,
                 float* out, std::size_t threads) {
  const std::vector<PackedGruGroup> packed = pack_groups(shape, weights);
  const Ranges ranges(shape.samples);
  base::parallel_for(shape.groups * ranges.count, 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t g = i / ranges.count;
      gru_forward_range(group_of(shape, series, packed[g], g), ranges[i % ranges.count],
                        kept ? kept + g * kept_per_group(shape) : nullptr, out + g * shape.samples * shape.hidden);
    }
  });
}

void gru_backward(const GruShape& shape, const GruSeries& series, std::span<const GruLayerWeights> weights,
                  const float* kept, const float* out_gradient, std::span<const GruLayerGradients> gradients,
                  std::size_t threads) {
  const std::vector<PackedGruGroup> packed = pack_groups(shape, weights);
  const Ranges ranges(shape.samples);
  const GradientLayout layout(shape);
  const std::size_t size = layout.size();
  std::vector<float> parts(shape.groups * ranges.count * size);
  base::parallel_for(shape.groups * ranges.count, 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t g = i / ranges.count;
      gru_backward_range(group_of(shape, series, packed[g], g), ranges[i % ranges.count],
                         kept + g * kept_per_group(shape), out_gradient + g * shape.samples * shape.hidden,
                         layout.views(parts.data() + i * size).data());
    }
  });
  std::vector<float> sum(size);
  for (std::size_t g = 0; g < shape.groups; ++g) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (std::size_t i = 0; i < ranges.count; ++i)
      for (std::size_t p = 0; p < size; ++p) sum[p] += parts[(g * ranges.count + i) * size + p];
    layout.copy_out(sum.data(), g, gradients);
  }
}

}  // namespace macmi::maps
