#include "maps/gru/gru_kernel.hpp"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "maps/gru/gru_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "maps/gru/gru_backward-inl.hpp"
#include "maps/gru/gru_forward-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Body>
HWY_INLINE void ForBlocks(GruRange range, Body body) {
  for (std::size_t first = range.first; first < range.last; first += BlockSamples())
    body(Block{first, std::min(BlockSamples(), range.last - first)});
}

HWY_INLINE std::size_t KeptBefore(const GruGroup& group, std::size_t sample) {
  return sample * group.layers * gru_chunks(group.steps) * group.weights[0].units;
}

void ForwardRange(const GruGroup& group, GruRange range, float* kept, float* out) {
  ForwardBlocks blocks(group);
  ForBlocks(range, [&](Block block)
                       HWY_ATTR { blocks.run(block, kept ? kept + KeptBefore(group, block.first) : nullptr, out); });
}

void BackwardRange(const GruGroup& group, GruRange range, const float* kept, const float* out_gradient,
                   const GruLayerGradients* gradients) {
  BackwardBlocks blocks(group);
  ForBlocks(range,
            [&](Block block) HWY_ATTR { blocks.run(block, kept + KeptBefore(group, block.first), out_gradient); });
  blocks.write(gradients);
}

void SigmoidOf(const float* x, std::size_t count, float* out) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) hn::StoreU(Sigmoid(hn::LoadU(tag, x + i)), tag, out + i);
}
void TanhOf(const float* x, std::size_t count, float* out) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) hn::StoreU(Tanh(hn::LoadU(tag, x + i)), tag, out + i);
}

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::maps {

HWY_EXPORT(ForwardRange);
HWY_EXPORT(BackwardRange);
HWY_EXPORT(SigmoidOf);
HWY_EXPORT(TanhOf);

void gru_forward_range(const GruGroup& group, GruRange range, float* kept, float* out) {
  HWY_DYNAMIC_DISPATCH(ForwardRange)(group, range, kept, out);
}
void gru_backward_range(const GruGroup& group, GruRange range, const float* kept, const float* out_gradient,
                        const GruLayerGradients* gradients) {
  HWY_DYNAMIC_DISPATCH(BackwardRange)(group, range, kept, out_gradient, gradients);
}
void gru_sigmoid(const float* x, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(SigmoidOf)(x, count, out);
}
void gru_tanh(const float* x, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(TanhOf)(x, count, out);
}

}  // namespace macmi::maps
#endif
