#include "maps/network/plain_objective.hpp"

#include <algorithm>
#include <cmath>

namespace macmi::maps {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Log variances outside are drawn in.
double log_variance(double value) {
  return std::clamp(value, -8.0, 6.0);
}

std::vector<double> probabilities(std::span<const double> logits) {
  std::vector<double> p(logits.begin(), logits.end());
  const double top = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - top);
  for (double& value : p) value /= sum;
  return p;
}

}  // namespace

PlainNetwork::PlainNetwork(const Architecture& architecture, std::span<const double> parameters)
    : a_(architecture), blocks_(parameter_blocks(architecture)) {
  for (const ParameterBlock& block : blocks_) {
    values_.push_back(parameters.first(static_cast<std::size_t>(block.size())));
    parameters = parameters.subspan(static_cast<std::size_t>(block.size()));
  }
}

/// bias + in · W, W [features][inputs][outputs] being a block and the bias the next.
std::vector<double> PlainNetwork::dense(std::span<const double> in, std::size_t block, std::size_t feature,
                                        double factor) const {
  const auto outputs = static_cast<std::size_t>(blocks_[block].shape[2]);
  std::vector<double> out(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    out[o] = values_[block + 1][feature * outputs + o];
    for (std::size_t i = 0; i < in.size(); ++i)
      out[o] += factor * in[i] * values_[block][(feature * in.size() + i) * outputs + o];
  }
  return out;
}

std::vector<double> PlainNetwork::activated(std::vector<double> values) const {
  for (double& x : values) x = a_.activation == Activation::silu ? x * sigmoid(x) : std::max(0.0, x);
  return values;
}

std::vector<double> PlainNetwork::perceptron(std::span<const double> in, std::size_t block, std::size_t feature,
                                             double factor) const {
  const std::vector<double> first = activated(dense(in, block, feature, factor));
  const std::vector<double> second = activated(dense(first, block + 2, feature, 1));
  return dense(second, block + 4, feature, 1);
}

/// The last state of stacked GRUs (Cho et al. 2014) in PyTorch's variant: r = σ(W_ir x + b_ir + W_hr h + b_hr),
/// z alike, n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn)), h' = (1 − z) ∘ n + z ∘ h. A step that is missing leaves the
/// states of all layers as they were.
std::vector<double> PlainNetwork::gru(std::span<const double> series, std::span<const std::uint8_t> present,
                                      const MapShape& shape, std::size_t block, std::size_t feature,
                                      double factor) const {
  const std::size_t states = a_.gru_states;
  std::vector<std::vector<double>> state(a_.gru_layers, std::vector<double>(states, 0.0));
  for (std::size_t t = 0; t < shape.steps; ++t) {
    if (!present.empty() && present[t] == 0) continue;
    std::vector<double> in(series.begin() + static_cast<std::ptrdiff_t>(t * shape.width),
                           series.begin() + static_cast<std::ptrdiff_t>((t + 1) * shape.width));
    for (std::size_t l = 0; l < a_.gru_layers; ++l) {
      const std::span<const double>* w = &values_[block + 4 * l];
      const std::vector<double>& h = state[l];
      const auto from = [&](const std::span<const double>& weights, const std::vector<double>& x, std::size_t gate,
                            std::size_t u) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
          sum += x[i] * weights[(feature * x.size() + i) * 3 * states + gate * states + u];
        return sum;
      };
      const auto bias = [&](std::size_t which, std::size_t gate, std::size_t u) {
        return w[which][feature * 3 * states + gate * states + u];
      };
      const double scale = l == 0 ? factor : 1;
      std::vector<double> next(states);
      for (std::size_t u = 0; u < states; ++u) {
        const auto gate = [&](std::size_t g) {
          return sigmoid(scale * from(w[0], in, g, u) + bias(2, g, u) + from(w[1], h, g, u) + bias(3, g, u));
        };
        const double r = gate(0), z = gate(1);
        const double n =
            std::tanh(scale * from(w[0], in, 2, u) + bias(2, 2, u) + r * (from(w[1], h, 2, u) + bias(3, 2, u)));
        next[u] = (1 - z) * n + z * h[u];
      }
      state[l] = in = next;
    }
  }
  return state.back();
}

std::vector<double> PlainNetwork::maps(const NetworkSamples& samples, std::size_t sample) const {
  std::vector<double> all;
  std::size_t block = a_.scaled ? 1 : 0;
  const std::vector<MapGroup> groups = groups_of(a_);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const MapShape& shape = groups[g].shape;
    const std::size_t row = shape.steps * shape.width;
    for (std::size_t f = 0; f < groups[g].count; ++f) {
      const std::size_t at = sample * groups[g].count + f;
      const std::vector<double> x(samples.values[g].begin() + static_cast<std::ptrdiff_t>(at * row),
                                  samples.values[g].begin() + static_cast<std::ptrdiff_t>((at + 1) * row));
      const double factor = a_.scaled ? values_[0][groups[g].first + f] : 1;
      std::vector<double> map = x;
      if (shape.encoder == Encoder::identity) {
        for (double& value : map) value *= factor;
      } else if (shape.encoder == Encoder::mlp) {
        map = perceptron(x, block, f, factor);
      } else {
        const auto present =
            samples.present[g].empty() ? samples.present[g] : samples.present[g].subspan(at * shape.steps, shape.steps);
        map = dense(gru(x, present, shape, block, f, factor), block + 4 * a_.gru_layers, f, 1);
      }
      all.insert(all.end(), map.begin(), map.end());
    }
    if (shape.encoder == Encoder::mlp) block += 6;
    if (shape.encoder == Encoder::gru) block += 4 * a_.gru_layers + 2;
  }
  return all;
}

std::vector<double> PlainNetwork::predict(std::span<const double> maps, std::span<const std::uint32_t> kept) const {
  std::vector<double> in(maps.size() + a_.features.size(), 0.0);
  for (const std::uint32_t f : kept) {
    std::size_t first = 0;
    for (std::size_t before = 0; before < f; ++before) first += a_.features[before].outputs;
    for (std::size_t c = first; c < first + a_.features[f].outputs; ++c) in[c] = maps[c];
    in[maps.size() + f] = 1;
  }
  return perceptron(in, blocks_.size() - 6, 0, 1);
}

double PlainNetwork::log_likelihood(std::span<const double> q, std::span<const float> y) const {
  if (a_.family == Family::bernoulli) return -std::log1p(std::exp(y[0] > 0.5F ? -q[0] : q[0]));
  if (a_.family == Family::categorical) return std::log(probabilities(q)[static_cast<std::size_t>(y[0])]);
  double sum = 0;
  const std::size_t width = q.size() / 2;
  for (std::size_t d = 0; d < width; ++d) {
    const double v = log_variance(q[width + d]), residual = y[d] - q[d];
    sum -= 0.5 * (std::log(2 * M_PI) + v + residual * residual * std::exp(-v));
  }
  return sum;
}

double PlainNetwork::jeffreys(std::span<const double> p, std::span<const double> q) const {
  double sum = 0;
  if (a_.family == Family::normal) {
    const std::size_t width = p.size() / 2;
    for (std::size_t d = 0; d < width; ++d) {
      const double v = log_variance(p[width + d]), w = log_variance(q[width + d]), gap = p[d] - q[d];
      sum += 0.25 * (std::exp(-v) + std::exp(-w)) * gap * gap + 0.5 * std::cosh(v - w) - 0.5;
    }
    return sum;
  }
  if (a_.family == Family::bernoulli) return 0.5 * (sigmoid(p[0]) - sigmoid(q[0])) * (p[0] - q[0]);
  const std::vector<double> a = probabilities(p), b = probabilities(q);
  for (std::size_t c = 0; c < a.size(); ++c) sum += 0.5 * (a[c] - b[c]) * (std::log(a[c]) - std::log(b[c]));
  return sum;
}

ObjectiveValue plain_objective(const Architecture& a, std::span<const double> parameters, const NetworkSamples& samples,
                               const TrainingBatch& batch, double lambda) {
  const PlainNetwork network(a, parameters);
  const std::size_t width = target_numbers(a);
  ObjectiveValue value;
  for (std::size_t mask = 0; mask < batch.masks.size(); ++mask) {
    const std::uint32_t k = batch.masks.sample[mask];
    const auto kept = batch.masks.features(mask);
    const std::vector<double> here = network.maps(samples, batch.rows[k]), q = network.predict(here, kept);
    value.log_likelihood += network.log_likelihood(q, samples.target.subspan(batch.rows[k] * width, width));
    for (const SwappedFeature& swap : batch.swaps_of(mask)) {
      const std::vector<double> lender = network.maps(samples, batch.rows[swap.lender]);
      std::vector<double> there = here;
      std::size_t first = 0;
      for (std::size_t before = 0; before < swap.feature; ++before) first += a.features[before].outputs;
      double distance = 0;
      for (std::size_t c = first; c < first + a.features[swap.feature].outputs; ++c) {
        there[c] = lender[c];
        distance += (there[c] - here[c]) * (there[c] - here[c]);
      }
      value.regulariser += std::abs(distance - network.jeffreys(q, network.predict(there, kept)));
    }
  }
  const auto masks = static_cast<double>(batch.masks.size());
  value.log_likelihood /= masks;
  value.regulariser /= masks;
  value.objective = value.log_likelihood - lambda * value.regulariser;
  return value;
}

}  // namespace macmi::maps
