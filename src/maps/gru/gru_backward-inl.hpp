// Back-propagation through time for blocks of samples: the chain rule written out, a few steps of every layer at a
// time, from the last step to the first. States and gates are computed again from the states kept before each chunk of
// steps.
#if defined(MACMI_MAPS_GRU_BACKWARD) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_BACKWARD
#undef MACMI_MAPS_GRU_BACKWARD
#else
#define MACMI_MAPS_GRU_BACKWARD
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "maps/gru/gru_gradient_sums-inl.hpp"
#include "maps/gru/gru_sweep-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedNegMulAdd;

class BackwardBlocks {
 public:
  explicit BackwardBlocks(const GruGroup& group)
      : group_(group),
        sweep_(group, true),
        state_(sweep_.state_size()),
        carried_(group.layers * state_),
        passed_(chunk_steps * state_) {
    for (std::size_t l = 0; l < group.layers; ++l) sums_.emplace_back(group.weights[l]);
  }

  void run(Block block, const float* kept, const float* out_gradient) {
    std::fill(carried_.begin(), carried_.end(), 0.0f);
    read_last(block, out_gradient, carried_.data() + (group_.layers - 1) * state_);
    for (Steps steps{0, group_.steps}; steps.end > 0; steps.end = steps.begin) {
      const std::size_t chunk = (steps.end - 1) / chunk_steps;
      steps.begin = chunk * chunk_steps;
      for (std::size_t l = 0; l < group_.layers; ++l)
        std::copy_n(kept + (chunk * group_.layers + l) * state_, state_, sweep_.first_state(l));
      const bool any = sweep_.run(block, steps);
      for (std::size_t l = group_.layers; any && l-- > 0;) layer_back(block, l, steps.count());
    }
  }

  void write(const GruLayerGradients* gradients) const {
    for (std::size_t l = 0; l < group_.layers; ++l) sums_[l].write(gradients[l]);
  }

 private:
  /// passed_ holds ∂/∂(this layer's output) per step on entry (except for the top layer, whose output only counts at
  /// the last step), ∂/∂(its input) on return (except for the first layer, whose input is no layer's output).
  void layer_back(Block block, std::size_t l, std::size_t count) {
    const PackedGruLayer& w = group_.weights[l];
    const Sequence before = sweep_.before(l);
    float* carried = carried_.data() + l * state_;
    for (std::size_t t = count; t-- > 0;) {
      if (l + 1 < group_.layers) add_to(carried, passed_.data() + t * state_);
      float* gates = sweep_.gates(l, t);
      through_gates(sweep_.valid(t), before.rows + t * state_, gates, carried);
      product_back(w.recurrent_back, w.units, 3 * w.units, gates + state_, carried, true);
    }
    if (l > 0)
      for (std::size_t t = 0; t < count; ++t)
        product_back(w.input_back, gru_padded(w.inputs), 3 * w.units, sweep_.gates(l, t), passed_.data() + t * state_,
                     false);
    sums_[l].add(block.first, {sweep_.gates(l, 0), 4 * state_}, sweep_.input(l), before, count);
  }

  void add_to(float* sum, const float* more) const {
    const FloatTag tag;
    for (std::size_t i = 0; i < state_; i += hn::Lanes(tag))
      hn::Store(hn::Add(hn::Load(tag, sum + i), hn::Load(tag, more + i)), tag, sum + i);
  }

  /// From d = ∂/∂h' to the gradients before the nonlinearities, in the place of the gates n, r, z, m:
  ///   a_n = d (1 − z)(1 − n²),  a_r = a_n m r (1 − r),  a_z = d (h − n) z (1 − z),  a_m = a_n r;
  /// and the direct part of ∂/∂h, d z, in the place of d. A step that is not valid hands d on as it is.
  void through_gates(const float* valid_row, const float* before, float* gates, float* d) const {
    const FloatTag tag;
    const std::size_t lanes = hn::Lanes(tag);
    const Row valid = LoadRow(valid_row);
    const auto one = hn::Set(tag, 1.0f);
    float *ns = gates, *rs = gates + state_, *zs = gates + 2 * state_, *ms = gates + 3 * state_;
    const auto at = [&](std::size_t i, FloatVector taken) HWY_ATTR {
      const auto whole = hn::Load(tag, d + i);
      const auto inside = hn::IfThenElseZero(hn::Gt(taken, hn::Zero(tag)), whole);
      const auto n = hn::Load(tag, ns + i), r = hn::Load(tag, rs + i), z = hn::Load(tag, zs + i);
      const auto m = hn::Load(tag, ms + i), h = hn::Load(tag, before + i);
      const auto kept = hn::Mul(inside, z);
      const auto a_n = hn::Mul(hn::Sub(inside, kept), FusedNegMulAdd(n, n, one));
      const auto a_m = hn::Mul(a_n, r);
      hn::Store(a_n, tag, ns + i);
      hn::Store(hn::Mul(hn::Mul(a_m, m), hn::Sub(one, r)), tag, rs + i);
      hn::Store(hn::Mul(hn::Mul(kept, hn::Sub(h, n)), hn::Sub(one, z)), tag, zs + i);
      hn::Store(a_m, tag, ms + i);
      hn::Store(hn::Add(kept, hn::Sub(whole, inside)), tag, d + i);
    };
    for (std::size_t i = 0; i < state_; i += 2 * lanes) {
      at(i, valid.low);
      at(i + lanes, valid.high);
    }
  }

  /// to (+)= Wᵀ rows.
  static void product_back(const float* weights, std::size_t outputs, std::size_t count, const float* rows, float* to,
                           bool add) {
    const float zero[gru_tile] = {};
    for (std::size_t o = 0; o < outputs; o += gru_tile) {
      float* out = to + o * BlockSamples();
      Tile tile = add ? LoadTile(out) : EqualTile(zero);
      AddProduct(tile, weights + o * count, rows, count);
      StoreTile(tile, out);
    }
  }

  void read_last(Block block, const float* out_gradient, float* d) const {
    const std::size_t s = BlockSamples(), hidden = group_.weights[0].hidden;
    for (std::size_t lane = 0; lane < block.count; ++lane)
      for (std::size_t u = 0; u < hidden; ++u) d[u * s + lane] = out_gradient[(block.first + lane) * hidden + u];
  }

  const GruGroup& group_;
  ChunkSweep sweep_;
  std::size_t state_;
  base::AlignedVector<float> carried_, passed_;
  std::vector<GradientSums> sums_;
};

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
