#include "maps/mine.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/masks.hpp"
#include "maps/training_data.hpp"

namespace macmi {
namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, tiny = 1e-8;  // Adam (Kingma & Ba 2015)
constexpr std::int64_t looks = 50;                         // at the samples held out
constexpr std::size_t shuffles = 5;

/// T(x, y): two hidden layers, SiLU.
struct Critic {
  std::vector<at::Tensor> parameters;

  Critic(std::int64_t inputs, std::int64_t width, const StreamKey& key) {
    RandomStream random(key.with("critic"));
    const std::vector<std::vector<std::int64_t>> shapes = {{inputs, width}, {width},    {width, width},
                                                           {width},         {width, 1}, {1}};
    std::int64_t fan_in = inputs;
    for (const auto& shape : shapes) {
      if (shape.size() == 2) fan_in = shape[0];
      at::Tensor values = at::empty(shape);
      const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
      for (std::int64_t e = 0; e < values.numel(); ++e)
        values.data_ptr<float>()[e] = static_cast<float>(random.uniform(-bound, bound));
      parameters.push_back(values.requires_grad_(true));
    }
  }
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& y) const {
    at::Tensor h = at::cat({x, y}, 1);
    h = at::silu(at::addmm(parameters[1], h, parameters[0]));
    h = at::silu(at::addmm(parameters[3], h, parameters[2]));
    return at::addmm(parameters[5], h, parameters[4]).squeeze(1);
  }
};

class Adam {
 public:
  explicit Adam(const std::vector<at::Tensor>& parameters) {
    for (const at::Tensor& p : parameters) first_.push_back(at::zeros_like(p)), second_.push_back(at::zeros_like(p));
  }
  void ascend(std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients, double rate) {
    const at::NoGradGuard no_gradients;
    ++steps_;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      first_[i].mul_(beta1).add_(gradients[i], 1 - beta1);
      second_[i].mul_(beta2).addcmul_(gradients[i], gradients[i], 1 - beta2);
      const at::Tensor size = (second_[i] / (1 - std::pow(beta2, steps_))).sqrt_().add_(tiny);
      parameters[i].addcdiv_(first_[i], size, rate / (1 - std::pow(beta1, steps_)));
    }
  }

 private:
  std::vector<at::Tensor> first_, second_;
  double steps_ = 0;
};

at::Tensor shuffled(std::int64_t n, RandomStream& random) {
  return as_tensor(random_permutation(static_cast<std::size_t>(n), random));
}

/// The bound on samples, with y shuffled several times for the product of the marginals.
double bound(const Critic& critic, const at::Tensor& x, const at::Tensor& y, const StreamKey& key) {
  const at::NoGradGuard no_gradients;
  RandomStream random(key.with("bound"));
  std::vector<at::Tensor> apart;
  for (std::size_t s = 0; s < shuffles; ++s) apart.push_back(critic(x, y.index_select(0, shuffled(x.size(0), random))));
  const at::Tensor all = at::cat(apart).to(at::kDouble);
  return critic(x, y).to(at::kDouble).mean().item<double>() -
         (at::logsumexp(all, 0).item<double>() - std::log(static_cast<double>(all.numel())));
}

}  // namespace

double mine_bound(const at::Tensor& x, const at::Tensor& y, const MineRecipe& recipe, const StreamKey& key) {
  const std::int64_t n = x.size(0), held = n / 5;
  RandomStream split(key.with("split"));
  const at::Tensor order = shuffled(n, split);
  const at::Tensor held_rows = order.slice(0, 0, held), rows = order.slice(0, held);
  const at::Tensor held_x = x.index_select(0, held_rows), held_y = y.index_select(0, held_rows);
  const std::int64_t batch = std::min(recipe.batch, rows.size(0));

  Critic critic(x.size(1) + y.size(1), recipe.width, key);
  Adam adam(critic.parameters);
  Critic best = critic;
  double best_bound = -INFINITY, average = 1;
  for (std::int64_t step = 0; step < recipe.steps; ++step) {
    RandomStream random(key.with("step").with(static_cast<std::uint64_t>(step)));
    const at::Tensor joint = rows.index_select(0, shuffled(rows.size(0), random).slice(0, 0, batch));
    const at::Tensor other = rows.index_select(0, shuffled(rows.size(0), random).slice(0, 0, batch));
    const at::Tensor bx = x.index_select(0, joint);
    const at::Tensor together = critic(bx, y.index_select(0, joint)).mean();
    const at::Tensor apart = critic(bx, y.index_select(0, other)).exp().mean();
    average = step == 0 ? apart.item<double>()
                        : (1 - recipe.average_rate) * average + recipe.average_rate * apart.item<double>();
    const std::vector<at::Tensor> gradients = torch::autograd::grad({together - apart / average}, critic.parameters);
    const double share = static_cast<double>(step) / static_cast<double>(recipe.steps);
    adam.ascend(critic.parameters, gradients, recipe.learning_rate * 0.5 * (1 + std::cos(M_PI * share)));
    if ((step + 1) % std::max<std::int64_t>(1, recipe.steps / looks) != 0) continue;
    const double now = bound(critic, held_x, held_y, key);
    if (now <= best_bound) continue;
    best_bound = now;
    for (std::size_t i = 0; i < best.parameters.size(); ++i) best.parameters[i] = critic.parameters[i].detach().clone();
  }
  return bound(best, x, y, key);
}

}  // namespace macmi
