// Shared by both passes: the series of a block of samples brought into rows, and the gates of one step.
#if defined(MACMI_MAPS_GRU_STEP) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_STEP
#undef MACMI_MAPS_GRU_STEP
#else
#define MACMI_MAPS_GRU_STEP
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "base/vector/aligned.hpp"
#include "maps/gru/gru_kernel.hpp"
#include "maps/gru/gru_tile-inl.hpp"
#include "maps/network/dense/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedMulAdd;

constexpr std::size_t chunk_steps = gru_chunk_steps;

/// The samples first … first + count − 1, the other lanes of the block empty.
struct Block {
  std::size_t first, count;
};

/// Steps begin … end − 1.
struct Steps {
  std::size_t begin, end;
  std::size_t count() const { return end - begin; }
};

/// The input of a block over a few steps. Steps that are not valid, and lanes without a sample, are 0 in both.
class SeriesChunk {
 public:
  explicit SeriesChunk(const GruGroup& group)
      : group_(group), x_(chunk_steps * group.channels * BlockSamples()), valid_(chunk_steps * BlockSamples()) {}

  /// True if any step of any sample is valid.
  bool load(Block block, Steps steps) {
    const std::size_t s = BlockSamples(), width = group_.channels;
    bool any = false;
    if (block.count < s) {
      std::fill(x_.begin(), x_.end(), 0.0f);
      std::fill(valid_.begin(), valid_.end(), 0.0f);
    }
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      const std::size_t at = (block.first + lane) * group_.steps + steps.begin;
      const float* x = group_.x + at * width;
      for (std::size_t t = 0; t < steps.count(); ++t) {
        const bool valid = !group_.valid || group_.valid[at + t] != 0;
        any |= valid;
        valid_[t * s + lane] = valid ? 1.0f : 0.0f;
        for (std::size_t c = 0; c < width; ++c) x_[(t * width + c) * s + lane] = valid ? x[t * width + c] : 0.0f;
      }
    }
    return any;
  }
  Sequence x() const { return {x_.data(), group_.channels * BlockSamples()}; }
  const float* valid(std::size_t t) const { return valid_.data() + t * BlockSamples(); }

 private:
  const GruGroup& group_;
  base::AlignedVector<float> x_, valid_;
};

/// The rows n, r, z, m of one step.
HWY_INLINE void StepGates(const PackedGruLayer& w, const float* input, const float* before, float* gates) {
  const std::size_t s = BlockSamples(), tiles = w.units / gru_tile;
  const auto of_input = [&](Tile& tile, std::size_t gate, std::size_t u) HWY_ATTR {
    AddProduct(tile, w.input + (gate * tiles + u) * w.inputs * gru_tile, input, w.inputs);
  };
  const auto of_state = [&](Tile& tile, std::size_t gate, std::size_t u) HWY_ATTR {
    AddProduct(tile, w.recurrent + (gate * tiles + u) * w.hidden * gru_tile, before, w.hidden);
  };
  const auto row = [&](std::size_t gate, std::size_t u) { return gates + (gate * w.units + u * gru_tile) * s; };
  const auto bias = [&](std::size_t gate, std::size_t u)
                        HWY_ATTR { return EqualTile(w.bias + gate * w.units + u * gru_tile); };
  for (std::size_t u = 0; u < tiles; ++u) {
    for (std::size_t gate = 1; gate <= 2; ++gate) {  // r, z
      Tile tile = bias(gate, u);
      of_input(tile, gate, u);
      of_state(tile, gate - 1, u);
      StoreMapped(
          tile, [](FloatVector v) HWY_ATTR { return Sigmoid(v); }, row(gate, u));
    }
    Tile m = bias(3, u);
    of_state(m, 2, u);
    StoreTile(m, row(3, u));
    Tile n = bias(0, u);
    of_input(n, 0, u);
    const Tile r = LoadTile(row(1, u));
    const auto add_product = [](Row& sum, const Row& left, const Row& right) HWY_ATTR {
      sum.low = FusedMulAdd(left.low, right.low, sum.low);
      sum.high = FusedMulAdd(left.high, right.high, sum.high);
    };
    m = LoadTile(row(3, u));
    add_product(n.a, r.a, m.a);
    add_product(n.b, r.b, m.b);
    add_product(n.c, r.c, m.c);
    add_product(n.d, r.d, m.d);
    StoreMapped(
        n, [](FloatVector v) HWY_ATTR { return Tanh(v); }, row(0, u));
  }
}

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
