#include <algorithm>
#include <cmath>

#include "base/random_permutation.hpp"
#include "base/vector/elementary.hpp"
#include "baselines/points.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "maps/network/dense/perceptron.hpp"
#include "maps/training/adam.hpp"

namespace macmi {
namespace {

constexpr std::size_t least_samples = 60;
constexpr std::size_t looks = 50;  // at the samples held out
constexpr std::size_t shuffles = 5;

/// T(x, y): two hidden layers, SiLU, with its parameters and their gradient.
class Critic {
 public:
  Critic(std::size_t inputs, std::size_t width, const base::StreamKey& key)
      : network_(inputs, width, 1, maps::Activation::silu), sizes_{inputs * width, width, width * width,
                                                                   width,          width, 1} {
    base::RandomStream random(key.with("critic"));
    const std::size_t fan_in[6] = {inputs, inputs, width, width, width, width};
    for (std::size_t b = 0; b < 6; ++b) {
      const double bound = 1 / std::sqrt(static_cast<double>(fan_in[b]));
      for (std::size_t e = 0; e < sizes_[b]; ++e)
        parameters.push_back(static_cast<float>(random.uniform(-bound, bound)));
    }
  }

  std::size_t in_stride() const { return network_.in_stride(); }

  /// T of every row of padded inputs.
  std::vector<double> operator()(const base::AlignedVector<float>& in, std::size_t rows) {
    network_.load(places<const float>(parameters.data()));
    network_.forward(rows, in.data(), pass_);
    std::vector<double> values(rows);
    for (std::size_t r = 0; r < rows; ++r) values[r] = pass_.out[r * network_.out_stride()];
    return values;
  }

  /// The parameters' gradient, from that of the last values.
  std::vector<float> gradient(const base::AlignedVector<float>& in, const std::vector<double>& of_values) {
    out_gradient_.assign(of_values.size() * network_.out_stride(), 0.0f);
    for (std::size_t r = 0; r < of_values.size(); ++r)
      out_gradient_[r * network_.out_stride()] = static_cast<float>(of_values[r]);
    network_.backward(of_values.size(), in.data(), out_gradient_.data(), pass_, gradients_);
    std::vector<float> all(parameters.size());
    network_.write_gradient(places<float>(all.data()));
    return all;
  }

  std::vector<float> parameters;

 private:
  template <class Float>
  maps::PerceptronPlaces<Float> places(Float* at) const {
    maps::PerceptronPlaces<Float> result;
    for (std::size_t b = 0; b < 6; at += sizes_[b++]) result[b] = at;
    return result;
  }

  maps::Perceptron network_;
  std::array<std::size_t, 6> sizes_;
  maps::PerceptronPass pass_;
  maps::PerceptronGradients gradients_;
  base::AlignedVector<float> out_gradient_;
};

/// Samples of x beside samples of y, as padded rows of the critic's input.
class Pairs {
 public:
  Pairs(const baselines::Points& x, const baselines::Points& y, std::size_t stride) : x_(x), y_(y), stride_(stride) {}
  void clear(std::size_t rows) {
    in.assign(rows * stride_, 0.0f);
    at_ = in.data();
  }
  void add(std::size_t of_x, std::size_t of_y) {
    for (std::size_t c = 0; c < x_.d; ++c) at_[c] = static_cast<float>(x_.values[of_x * x_.d + c]);
    for (std::size_t c = 0; c < y_.d; ++c) at_[x_.d + c] = static_cast<float>(y_.values[of_y * y_.d + c]);
    at_ += stride_;
  }
  base::AlignedVector<float> in;

 private:
  const baselines::Points &x_, &y_;
  std::size_t stride_;
  float* at_ = nullptr;
};

/// The bound on some samples, with y shuffled several times for the product of the marginals:
/// mean T(x, y) − log mean exp T(x, y').
double bound(Critic& critic, Pairs& pairs, const std::vector<std::uint32_t>& rows, const base::StreamKey& key) {
  const std::size_t n = rows.size();
  base::RandomStream random(key.with("bound"));
  double together = 0;
  pairs.clear(n);
  for (const std::uint32_t row : rows) pairs.add(row, row);
  for (const double value : critic(pairs.in, n)) together += value / static_cast<double>(n);
  std::vector<double> apart;
  for (std::size_t s = 0; s < shuffles; ++s) {
    const std::vector<std::uint32_t> other = base::random_permutation(n, random);
    pairs.clear(n);
    for (std::size_t i = 0; i < n; ++i) pairs.add(rows[i], rows[other[i]]);
    const std::vector<double> values = critic(pairs.in, n);
    apart.insert(apart.end(), values.begin(), values.end());
  }
  const double top = *std::max_element(apart.begin(), apart.end());
  double sum = 0;
  for (const double value : apart) sum += base::exact_exp(value - top);
  return together - (top + base::exact_log(sum / static_cast<double>(apart.size())));
}

}  // namespace

/// MINE (Belghazi et al. 2018): I(X;Y) ≥ E[T(x,y)] − log E[exp T(x,y')], y' from another sample (Donsker & Varadhan),
/// maximised over a perceptron T. The gradient of the logarithm on a batch is biased; its denominator is replaced by a
/// moving average over batches (section 3.2 of the paper). A fifth of the samples is held out and tells which of the
/// parameters on the way to keep; the value returned is the bound on all samples.
double mine(const Variable& x, const Variable& y, const MineOptions& options, const std::function<bool()>& keep_going) {
  baselines::check_samples("mine", x, y, {}, {}, least_samples);
  const baselines::Points xs = baselines::standardised_points(x), ys = baselines::standardised_points(y);
  if (xs.d == 0 || ys.d == 0) return 0;
  const base::StreamKey key = base::StreamKey(options.seed).with("mine");
  base::RandomStream split(key.with("split"));
  std::vector<std::uint32_t> order = base::random_permutation(xs.n, split);
  const auto held_end = order.begin() + static_cast<std::ptrdiff_t>(xs.n / 5);
  const std::vector<std::uint32_t> held(order.begin(), held_end), rows(held_end, order.end());
  const std::size_t batch = std::min<std::size_t>(options.batch, rows.size());

  Critic critic(xs.d + ys.d, options.width, key);
  maps::AdamMoments moments(critic.parameters.size());
  Pairs pairs(xs, ys, critic.in_stride());
  std::vector<float> best = critic.parameters;
  double best_bound = -INFINITY, average = 1;
  const std::size_t between = std::max<std::size_t>(1, options.steps / looks);
  for (std::size_t step = 0; step < options.steps; ++step) {
    if (keep_going && !keep_going()) throw Cancelled();
    base::RandomStream random(key.with("step").with(step));
    const std::vector<std::uint32_t> joint = base::random_permutation(rows.size(), random);
    const std::vector<std::uint32_t> other = base::random_permutation(rows.size(), random);
    pairs.clear(2 * batch);
    for (std::size_t i = 0; i < batch; ++i) pairs.add(rows[joint[i]], rows[joint[i]]);
    for (std::size_t i = 0; i < batch; ++i) pairs.add(rows[joint[i]], rows[other[i]]);
    std::vector<double> values = critic(pairs.in, 2 * batch);
    // The gradient of mean T(x, y) − mean exp T(x, y') / average.
    const auto share = 1 / static_cast<double>(batch);
    double apart = 0;
    for (std::size_t i = batch; i < 2 * batch; ++i) apart += share * (values[i] = base::exact_exp(values[i]));
    average = step == 0 ? apart : (1 - options.average_rate) * average + options.average_rate * apart;
    for (std::size_t i = 0; i < batch; ++i) values[i] = share;
    for (std::size_t i = batch; i < 2 * batch; ++i) values[i] *= -share / average;
    const double rate =
        maps::cosine_rate(options.learning_rate, 0, static_cast<double>(step) / static_cast<double>(options.steps));
    maps::adam_ascend(critic.parameters, critic.gradient(pairs.in, values), moments, static_cast<std::int64_t>(step),
                      rate, 0);
    if ((step + 1) % between != 0) continue;
    const double now = bound(critic, pairs, held, key);
    if (now <= best_bound) continue;
    best_bound = now;
    best = critic.parameters;
  }
  critic.parameters = best;
  std::vector<std::uint32_t> all(xs.n);
  std::iota(all.begin(), all.end(), 0U);
  return bound(critic, pairs, all, key);
}

}  // namespace macmi
