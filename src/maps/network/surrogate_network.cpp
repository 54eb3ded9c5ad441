#include "maps/network/surrogate_network.hpp"

namespace macmi::maps {

SurrogateNetwork::SurrogateNetwork(std::vector<std::size_t> first_column, std::size_t width, std::size_t predictions,
                                   Activation activation)
    : first_column_(std::move(first_column)),
      width_(width),
      predictions_(predictions),
      network_(columns() + first_column_.size() - 1, width, predictions, activation) {}

template <class Float>
PerceptronPlaces<Float> SurrogateNetwork::places(Float* at) const {
  const std::size_t inputs = network_.first().inputs();
  const std::size_t sizes[6] = {inputs * width_, width_, width_ * width_, width_, width_ * predictions_, predictions_};
  PerceptronPlaces<Float> result;
  for (std::size_t b = 0; b < 6; at += sizes[b++]) result[b] = at;
  return result;
}

void SurrogateNetwork::load(const float* parameters) {
  network_.load(places(parameters));
}
void SurrogateNetwork::write_gradient(float* gradient) const {
  network_.write_gradient(places(gradient));
}

template <class Use>
void SurrogateNetwork::for_inputs(const SurrogateRow& row, std::span<const std::uint32_t> kept, const float* maps,
                                  Use use) const {
  for (const std::uint32_t f : kept) {
    const float* from = maps + (f == row.swapped ? row.lender : row.sample) * columns();
    for (std::size_t c = first_column_[f]; c < first_column_[f + 1]; ++c) use(c, from[c]);
  }
  for (const std::uint32_t f : kept) use(columns() + f, 1.0f);
}

void SurrogateNetwork::forward(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps) {
  network_.make_room(rows.size(), pass_);
  const DenseLayer& first = network_.first();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    factors_.clear();
    weight_rows_.clear();
    for_inputs(rows[r], masks.features(rows[r].mask), maps, [&](std::size_t input, float value) {
      factors_.push_back(value);
      weight_rows_.push_back(first.weight_row(input));
    });
    combine_rows(first.out_stride(), factors_.size(), factors_.data(), weight_rows_.data(), first.bias(),
                 pass_.first.data() + r * first.out_stride());
  }
  network_.forward_from_first(rows.size(), pass_);
}

base::AlignedVector<float>& SurrogateNetwork::cleared_out_gradient(std::size_t rows) {
  out_gradient_.assign(rows * network_.out_stride(), 0.0f);
  return out_gradient_;
}

void SurrogateNetwork::backward(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps,
                                float* maps_gradient) {
  network_.backward_to_first(rows.size(), out_gradient_.data(), pass_, gradients_);
  DenseLayer& first = network_.first();
  const float* sums = gradients_.first.data();
  const std::size_t stride = first.out_stride(), in_stride = first.in_stride();
  first.add_bias_gradient(rows.size(), sums);
  if (in_gradient_.size() < rows.size() * in_stride) in_gradient_.resize(rows.size() * in_stride);
  first.backward(rows.size(), columns(), sums, in_gradient_.data());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::span<const std::uint32_t> kept = masks.features(rows[r].mask);
    for_inputs(rows[r], kept, maps,
               [&](std::size_t input, float value) { first.add_gradient_of_input(input, value, sums + r * stride); });
    for (const std::uint32_t f : kept) {
      float* to = maps_gradient + (f == rows[r].swapped ? rows[r].lender : rows[r].sample) * columns();
      for (std::size_t c = first_column_[f]; c < first_column_[f + 1]; ++c) to[c] += in_gradient_[r * in_stride + c];
    }
  }
}

}  // namespace macmi::maps
