// The states of blocks of samples, from the first step to the last.
#if defined(MACMI_MAPS_GRU_FORWARD) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_FORWARD
#undef MACMI_MAPS_GRU_FORWARD
#else
#define MACMI_MAPS_GRU_FORWARD
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "maps/gru/gru_sweep-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {

class ForwardBlocks {
 public:
  explicit ForwardBlocks(const GruGroup& group) : group_(group), sweep_(group, false), state_(sweep_.state_size()) {}

  /// `kept`: the states of every layer before each chunk of steps, or null.
  void run(Block block, float* kept, float* out) {
    for (std::size_t l = 0; l < group_.layers; ++l) std::fill_n(sweep_.first_state(l), state_, 0.0f);
    for (Steps steps{0, 0}; steps.begin < group_.steps; steps.begin = steps.end) {
      steps.end = std::min(steps.begin + chunk_steps, group_.steps);
      for (std::size_t l = 0; kept && l < group_.layers; ++l, kept += state_)
        std::copy_n(sweep_.first_state(l), state_, kept);
      if (!sweep_.run(block, steps)) continue;
      for (std::size_t l = 0; l < group_.layers; ++l)
        std::copy_n(sweep_.first_state(l) + steps.count() * state_, state_, sweep_.first_state(l));
    }
    write_last(block, sweep_.first_state(group_.layers - 1), out);
  }

 private:
  void write_last(Block block, const float* state, float* out) const {
    const std::size_t s = BlockSamples(), hidden = group_.weights[0].hidden;
    for (std::size_t lane = 0; lane < block.count; ++lane)
      for (std::size_t u = 0; u < hidden; ++u) out[(block.first + lane) * hidden + u] = state[u * s + lane];
  }

  const GruGroup& group_;
  ChunkSweep sweep_;
  std::size_t state_;
};

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
