// A block of samples through a few steps of every layer, from given states: what the forward pass does over all steps,
// and the backward pass does again for the steps it has come to.
#if defined(MACMI_MAPS_GRU_SWEEP) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_SWEEP
#undef MACMI_MAPS_GRU_SWEEP
#else
#define MACMI_MAPS_GRU_SWEEP
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "base/vector/aligned.hpp"
#include "maps/gru/gru_step-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedMulAdd;

class ChunkSweep {
 public:
  /// `keep_gates`: the gates of all steps and layers stay readable after run().
  ChunkSweep(const GruGroup& group, bool keep_gates)
      : group_(group),
        state_(group.weights[0].units * BlockSamples()),
        gate_stride_(keep_gates ? 4 * state_ : 0),
        series_(group),
        states_(group.layers * (chunk_steps + 1) * state_),
        gates_(keep_gates ? group.layers * chunk_steps * 4 * state_ : 4 * state_) {}

  /// From the states at first_states(). Whether any step was valid; if none, the states are as they were, and there
  /// are no gates.
  bool run(Block block, Steps steps) {
    if (!series_.load(block, steps)) return false;
    for (std::size_t l = 0; l < group_.layers; ++l) take_steps(l, steps.count());
    return true;
  }

  std::size_t state_size() const { return state_; }
  /// The state of a layer before the first step, [units][samples].
  float* first_state(std::size_t layer) { return states_.data() + layer * (chunk_steps + 1) * state_; }
  Sequence before(std::size_t layer) { return {first_state(layer), state_}; }
  Sequence input(std::size_t layer) {
    return layer == 0 ? series_.x() : Sequence{first_state(layer - 1) + state_, state_};
  }
  float* gates(std::size_t layer, std::size_t t) { return gates_.data() + (layer * chunk_steps + t) * gate_stride_; }
  const float* valid(std::size_t t) const { return series_.valid(t); }

 private:
  void take_steps(std::size_t layer, std::size_t count) {
    const Sequence from = input(layer);
    float* state = first_state(layer);
    for (std::size_t t = 0; t < count; ++t, state += state_) {
      float* gates_now = gates(layer, t);
      StepGates(group_.weights[layer], from.rows + t * from.stride, state, gates_now);
      update(gates_now, valid(t), state, state + state_);
    }
  }

  /// h' = n + z (h − n) where the step is valid.
  void update(const float* gates, const float* valid_row, const float* before, float* after) const {
    const FloatTag tag;
    const std::size_t lanes = hn::Lanes(tag);
    const Row valid = LoadRow(valid_row);
    const auto low = hn::Gt(valid.low, hn::Zero(tag)), high = hn::Gt(valid.high, hn::Zero(tag));
    const float *n = gates, *z = gates + 2 * state_;
    const auto next = [&](std::size_t i, FloatVector h) HWY_ATTR {
      const auto candidate = hn::Load(tag, n + i);
      return FusedMulAdd(hn::Load(tag, z + i), hn::Sub(h, candidate), candidate);
    };
    for (std::size_t i = 0; i < state_; i += 2 * lanes) {
      const Row h = LoadRow(before + i);
      StoreRow({hn::IfThenElse(low, next(i, h.low), h.low), hn::IfThenElse(high, next(i + lanes, h.high), h.high)},
               after + i);
    }
  }

  const GruGroup& group_;
  std::size_t state_, gate_stride_;
  SeriesChunk series_;
  base::AlignedVector<float> states_, gates_;
};

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
