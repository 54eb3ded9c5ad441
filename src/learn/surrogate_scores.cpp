#include "learn/surrogate_scores.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace macmi {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Weights = Eigen::Map<const Matrix>;

constexpr std::size_t rows_at_once = 256;
constexpr std::size_t most_remembered = std::size_t{1} << 24;  // numbers: 64 MB

void activate(Matrix& values, Activation activation) {
  if (activation == Activation::silu) values.array() /= 1 + (-values.array()).exp();
  else values = values.cwiseMax(0);
}

/// The layers of one model.
struct Layers {
  Layers(const SurrogateSamples& s, const std::vector<float>& parameters) {
    const float* at = parameters.data();
    const auto next = [&](std::size_t rows, std::size_t columns) {
      const Weights block(at, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
      at += rows * columns;
      return block;
    };
    const std::size_t in = s.columns() + s.first_column.size() - 1;
    for (const auto& [from, to] : {std::pair(in, s.width), std::pair(s.width, s.width), std::pair(s.width, s.predictions)}) {
      weight.push_back(next(from, to));
      bias.push_back(next(1, to));
    }
  }
  std::vector<Weights> weight, bias;
};

}  // namespace

SurrogateSamples SurrogateSamples::on(std::span<const std::size_t> rows) const {
  SurrogateSamples part = *this;
  part.samples = rows.size();
  part.model.clear();
  part.maps.clear();
  for (const std::size_t i : rows) {
    part.model.push_back(model[i]);
    const auto begin = maps.begin() + static_cast<std::ptrdiff_t>(i * columns());
    part.maps.insert(part.maps.end(), begin, begin + static_cast<std::ptrdiff_t>(columns()));
  }
  return part;
}

std::vector<float> SurrogateScores::predict(const Mask& kept) const {
  std::vector<float> result(s_.samples);
  for (std::size_t j = 0; j < s_.models.size(); ++j) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < s_.samples; ++i)
      if (s_.model[i] == static_cast<std::int32_t>(j)) rows.push_back(i);
    if (kept.empty()) {
      for (const std::size_t i : rows) result[i] = s_.models[j].marginal[0];
      continue;
    }
    const Layers layers(s_, s_.models[j].parameters);
    // What is masked is zero: only the kept columns and their marks reach the first layer.
    Eigen::RowVectorXf constant = layers.bias[0];
    std::vector<std::size_t> columns;
    for (const std::uint32_t f : kept) {
      constant += layers.weight[0].row(static_cast<Eigen::Index>(s_.columns() + f));
      for (std::size_t c = s_.first_column[f]; c < s_.first_column[f + 1]; ++c) columns.push_back(c);
    }
    for (std::size_t begin = 0; begin < rows.size(); begin += rows_at_once) {
      const auto count = static_cast<Eigen::Index>(std::min(rows_at_once, rows.size() - begin));
      Matrix hidden = constant.replicate(count, 1);
      for (Eigen::Index r = 0; r < count; ++r)
        for (const std::size_t c : columns)
          hidden.row(r) += s_.maps[rows[begin + static_cast<std::size_t>(r)] * s_.columns() + c] *
                           layers.weight[0].row(static_cast<Eigen::Index>(c));
      activate(hidden, s_.activation);
      Matrix second = (hidden * layers.weight[1]).rowwise() + Eigen::RowVectorXf(layers.bias[1]);
      activate(second, s_.activation);
      const Eigen::VectorXf out = (second * layers.weight[2].col(0)).array() + layers.bias[2](0, 0);
      for (Eigen::Index r = 0; r < count; ++r) result[rows[begin + static_cast<std::size_t>(r)]] = out[r];
    }
  }
  return result;
}

std::shared_ptr<const std::vector<float>> SurrogateScores::predicted(const Mask& kept) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(kept); found != known_.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<float>>(predict(kept));
  const std::lock_guard lock(mutex_);
  if ((known_.size() + 1) * s_.samples > most_remembered) known_.clear();
  return known_.emplace(kept, std::move(made)).first->second;
}

SurrogateScores::Mask SurrogateScores::mask_of(std::span<const std::size_t> features) const {
  Mask mask;
  for (const std::size_t f : features)
    if (s_.place[f] >= 0) mask.push_back(static_cast<std::uint32_t>(s_.place[f]));
  std::sort(mask.begin(), mask.end());
  mask.erase(std::unique(mask.begin(), mask.end()), mask.end());
  return mask;
}

double SurrogateScores::gain(std::span<const std::size_t> given, std::span<const std::int32_t> classes) const {
  const auto after = predicted(mask_of(given)), before = predicted({});
  const auto log_likelihood = [](double logit, bool second) { return -std::log1p(std::exp(second ? -logit : logit)); };
  double sum = 0;
  for (std::size_t i = 0; i < s_.samples; ++i)
    sum += log_likelihood((*after)[i], classes[i] == 1) - log_likelihood((*before)[i], classes[i] == 1);
  return sum / static_cast<double>(s_.samples);
}

std::vector<double> SurrogateScores::score(std::size_t x, std::span<const std::size_t> given) const {
  if (given.size() + 1 > s_.most_kept) return {};
  std::vector<std::size_t> all(given.begin(), given.end());
  all.push_back(x);
  const auto after = predicted(mask_of(all)), before = predicted(mask_of(given));
  std::vector<double> difference(s_.samples);
  for (std::size_t i = 0; i < s_.samples; ++i)
    difference[i] = static_cast<double>((*after)[i]) - static_cast<double>((*before)[i]);
  return difference;
}

}  // namespace macmi
