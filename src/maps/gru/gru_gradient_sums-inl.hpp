// The gradients of one layer's weights and biases, summed over steps and samples.
#if defined(MACMI_MAPS_GRU_GRADIENT_SUMS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_GRADIENT_SUMS
#undef MACMI_MAPS_GRU_GRADIENT_SUMS
#else
#define MACMI_MAPS_GRU_GRADIENT_SUMS
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "base/vector/aligned.hpp"
#include "maps/gru/gru_tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Every entry is 32 partial sums, so that a step costs one multiply-add per entry and vector of samples, and the order
/// of additions is the same on every instruction set.
class GradientSums {
 public:
  explicit GradientSums(const PackedGruLayer& layer)
      : layer_(layer),
        input_(3 * layer.units * layer.inputs * gru_most_samples),
        recurrent_(3 * layer.units * layer.hidden * gru_most_samples),
        bias_(4 * layer.units * gru_most_samples),
        ones_(BlockSamples()) {
    for (base::AlignedVector<float>* sums : {&input_, &recurrent_, &bias_}) std::fill(sums->begin(), sums->end(), 0.0f);
    std::fill(ones_.begin(), ones_.end(), 1.0f);
  }

  /// `gates`: the gradients of n, r, z, m before their nonlinearities, of the block whose first sample is `first`.
  void add(std::size_t first, Sequence gates, Sequence input, Sequence before, std::size_t steps) {
    const std::size_t units = layer_.units, at = first % gru_most_samples;
    AddOuter(gates, 3 * units, input, layer_.inputs, steps, input_.data() + at);
    const Sequence of_state{gates.rows + units * BlockSamples(), gates.stride};
    AddOuter(of_state, 3 * units, before, layer_.hidden, steps, recurrent_.data() + at);
    AddOuter(gates, 4 * units, {ones_.data(), 0}, 1, steps, bias_.data() + at);
  }

  /// Into the order of the weights: r, z, n.
  void write(const GruLayerGradients& to) const {
    const std::size_t hidden = layer_.hidden, units = layer_.units;
    const auto copy = [&](const base::AlignedVector<float>& sums, std::size_t from_gate, std::size_t to_gate,
                          std::size_t columns, float* out) HWY_ATTR {
      for (std::size_t u = 0; u < hidden; ++u)
        for (std::size_t c = 0; c < columns; ++c)
          out[(c * 3 + to_gate) * hidden + u] = total(sums, (from_gate * units + u) * columns + c);
    };
    constexpr std::size_t n = 0, r = 1, z = 2, m = 3;  // rows of the sums; `recurrent_` starts at r
    copy(input_, r, 0, layer_.inputs, to.input);
    copy(input_, z, 1, layer_.inputs, to.input);
    copy(input_, n, 2, layer_.inputs, to.input);
    copy(recurrent_, r - 1, 0, hidden, to.recurrent);
    copy(recurrent_, z - 1, 1, hidden, to.recurrent);
    copy(recurrent_, m - 1, 2, hidden, to.recurrent);
    copy(bias_, r, 0, 1, to.input_bias);
    copy(bias_, z, 1, 1, to.input_bias);
    copy(bias_, n, 2, 1, to.input_bias);
    copy(bias_, r, 0, 1, to.recurrent_bias);
    copy(bias_, z, 1, 1, to.recurrent_bias);
    copy(bias_, m, 2, 1, to.recurrent_bias);
  }

 private:
  static float total(const base::AlignedVector<float>& sums, std::size_t entry) {
    float part[gru_most_samples];
    std::copy_n(sums.data() + entry * gru_most_samples, gru_most_samples, part);
    for (std::size_t half = gru_most_samples / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
    return part[0];
  }
  const PackedGruLayer& layer_;
  base::AlignedVector<float> input_, recurrent_, bias_, ones_;
};

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
