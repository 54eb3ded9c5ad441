#pragma once
#include <span>
#include <vector>

#include "maps/network/batch.hpp"
#include "maps/network/dense/perceptron.hpp"

namespace macmi::maps {

/// One question to the surrogate: the maps of a sample that a mask keeps, one of them possibly another sample's.
struct SurrogateRow {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t mask, sample;
  std::uint32_t swapped = none, lender = 0;  ///< this feature's map comes from that sample
};

/// The surrogate q_θ(Y | F_W, W): a perceptron of all maps, those not kept being zero, and of the mask itself. Most
/// inputs are zero, so the first layer adds up only the rows of weights that count; adding zeros would give the same
/// bits.
class SurrogateNetwork {
 public:
  /// `first_column` of each feature among the maps; the number of columns at the end.
  SurrogateNetwork(std::vector<std::size_t> first_column, std::size_t width, std::size_t predictions,
                   Activation activation);

  std::size_t predictions() const { return predictions_; }
  /// Its parameters: W₁ [columns + features][width], b₁, W₂, b₂, W₃, b₃.
  void load(const float* parameters);
  void write_gradient(float* gradient) const;

  /// `maps` [samples][columns]. Predictions lie at out(row) afterwards.
  void forward(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps);
  std::span<const float> out(std::size_t row) const {
    return {pass_.out.data() + row * network_.out_stride(), predictions_};
  }
  /// Padded rows to fill with the gradients with respect to out(row); all zero when asked for.
  std::size_t out_stride() const { return network_.out_stride(); }
  base::AlignedVector<float>& cleared_out_gradient(std::size_t rows);
  /// Adds the parameters' gradients here and those of the maps to `maps_gradient` [samples][columns].
  void backward(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps, float* maps_gradient);

 private:
  std::size_t columns() const { return first_column_.back(); }
  /// Calls use(input, value) for every input that is not masked, in their order.
  template <class Use>
  void for_inputs(const SurrogateRow& row, std::span<const std::uint32_t> kept, const float* maps, Use use) const;
  template <class Float>
  PerceptronPlaces<Float> places(Float* at) const;

  std::vector<std::size_t> first_column_;
  std::size_t width_, predictions_;
  Perceptron network_;
  PerceptronPass pass_;
  PerceptronGradients gradients_;
  base::AlignedVector<float> out_gradient_, in_gradient_;
  std::vector<float> factors_;
  std::vector<const float*> weight_rows_;
};

}  // namespace macmi::maps
