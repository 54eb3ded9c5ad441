#include "experiments/simulations/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

constexpr double mean_parents = 2;
constexpr std::size_t most_parents = 5;
/// Children see no more than this of a parent, as a sensor saturates. Squares, cubes and products would else make the
/// tails of each generation longer, until one sample holds all of a column's variance and hides the parents.
constexpr double most_deviations = 3;

using Column = std::vector<double>;

/// A Poisson number by multiplying uniforms (Knuth).
std::size_t poisson(double mean, base::RandomStream& random) {
  std::size_t count = 0;
  for (double product = random.uniform(); product > std::exp(-mean); product *= random.uniform()) ++count;
  return count;
}

/// Parents of each node among those before it.
std::vector<std::vector<std::size_t>> draw_parents(std::size_t nodes, base::RandomStream& random) {
  std::vector<std::vector<std::size_t>> parents(nodes);
  for (std::size_t node = 1; node < nodes; ++node) {
    const std::size_t count = std::min({node, most_parents, poisson(mean_parents, random)});
    while (parents[node].size() < count) {
      const std::size_t parent = random.below(node);
      if (std::count(parents[node].begin(), parents[node].end(), parent) == 0) parents[node].push_back(parent);
    }
  }
  return parents;
}

/// A node with one to four parents and children each; else one that has any of them.
std::size_t draw_target(const blanket::Dag& dag, base::RandomStream& random) {
  std::vector<std::size_t> good, possible;
  for (std::size_t node = 0; node < dag.nodes(); ++node) {
    const std::size_t above = dag.parents(node).size(), below = dag.children(node).size();
    if (above + below > 0) possible.push_back(node);
    if (above >= 1 && above <= 4 && below >= 1 && below <= 4) good.push_back(node);
  }
  if (possible.empty()) return dag.nodes() - 1;
  return good.empty() ? possible[random.below(possible.size())] : good[random.below(good.size())];
}

void standardise(Column& column) {
  const double n = static_cast<double>(column.size());
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / n;
  double squares = 0;
  for (const double v : column) squares += (v - mean) * (v - mean);
  const double deviation = squares > 0 ? std::sqrt(squares / n) : 1;
  for (double& v : column) v = (v - mean) / deviation;
}

double weight(base::RandomStream& random) {
  const double size = random.uniform(0.3, 1.0);
  return random.uniform() < 0.5 ? -size : size;
}

/// One of five curves: rising, up and down, a bowl, a saturating and a local one.
double curve(std::uint64_t kind, double v, double phase) {
  switch (kind) {
    case 0:
      return std::tanh(2 * v) * 1.3;
    case 1:
      return std::sqrt(2.0) * std::cos(1.6 * v + phase);
    case 2:
      return (v * v - 1) / std::sqrt(2.0);
    case 3:
      return std::abs(v) * 1.6 - 1.3;
    default:
      return 2.5 * v * std::exp(-v * v / 2);
  }
}

/// The parents' contribution to a node, before noise.
Column of_parents(NetworkFamily family, const std::vector<const Column*>& parents, std::size_t n,
                  base::RandomStream& random) {
  Column sum(n, 0.0);
  const auto add = [&](const auto& term) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += term(i);
  };
  switch (family) {
    case NetworkFamily::linear:
    case NetworkFamily::mixed:
      for (const Column* parent : parents) add([&, w = weight(random)](std::size_t i) { return w * (*parent)[i]; });
      break;
    case NetworkFamily::additive:
    case NetworkFamily::postnonlinear:
      for (const Column* parent : parents) {
        const double w = weight(random) * 1.5, phase = random.uniform(0, 1.5);
        const std::uint64_t kind = random.below(5);
        add([&](std::size_t i) { return w * curve(kind, (*parent)[i], phase); });
      }
      break;
    case NetworkFamily::mlp:
      for (int unit = 0; unit < 8 && !parents.empty(); ++unit) {
        const double out = random.normal(), bias = random.normal();
        std::vector<double> in;
        for (std::size_t k = 0; k < parents.size(); ++k) in.push_back(2 * random.normal());
        add([&](std::size_t i) {
          double activity = bias;
          for (std::size_t k = 0; k < parents.size(); ++k) activity += in[k] * (*parents[k])[i];
          return out * std::tanh(activity);
        });
      }
      break;
    case NetworkFamily::interactions:
      for (std::size_t k = 0; k + 1 < parents.size(); ++k)
        add([&, w = 1.5 * weight(random)](std::size_t i) { return w * (*parents[k])[i] * (*parents[k + 1])[i]; });
      for (const Column* parent : parents)
        add([&, w = 0.5 * weight(random)](std::size_t i) { return w * (*parent)[i]; });
      break;
  }
  return sum;
}

/// Classes 0 … count-1 of equal shares, by the rank of each number.
void cut_into_classes(Column& column, std::size_t count) {
  standardise(column);
  Column sorted = column;
  std::sort(sorted.begin(), sorted.end());
  Column codes(column.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), column[i]) - sorted.begin();
    codes[i] = std::floor(static_cast<double>(below) * static_cast<double>(count) / static_cast<double>(column.size()));
  }
  column = std::move(codes);
}

/// The labels of a column of classes: c0, c1, …
std::vector<std::string> class_names(const Column& codes) {
  std::vector<std::string> names;
  const double last = *std::max_element(codes.begin(), codes.end());
  for (int code = 0; code <= last; ++code) names.push_back(fmt::format("c{}", code));
  return names;
}

struct Sampled {
  Column shown;   ///< as the table holds it
  Column inside;  ///< as children see it: mean 0, deviation 1
  bool categorical = false;
};

Sampled sample_node(NetworkFamily family, const std::vector<const Column*>& parents, std::size_t n,
                    base::RandomStream& random) {
  Sampled node;
  node.shown = of_parents(family, parents, n, random);
  if (family == NetworkFamily::mlp && !parents.empty()) {
    standardise(node.shown);
    for (double& v : node.shown) v *= 1.5;
  }
  for (double& v : node.shown) v += random.normal();
  if (family == NetworkFamily::postnonlinear) {
    standardise(node.shown);
    for (double& v : node.shown) v += 0.15 * v * v * v;
  }
  if (family == NetworkFamily::mixed) {
    const std::uint64_t kind = random.below(4);  // half numbers, a quarter counts, a quarter classes
    standardise(node.shown);
    if (kind == 2)
      for (double& v : node.shown) v = std::floor(std::exp(0.7 * v + 1));
    if (kind == 3) cut_into_classes(node.shown, 2 + random.below(3)), node.categorical = true;
  }
  node.inside = node.shown;
  standardise(node.inside);
  if (family != NetworkFamily::linear)
    for (double& v : node.inside) v = std::clamp(v, -most_deviations, most_deviations);
  return node;
}

std::string listed(const std::vector<std::string>& names, const char* one, const char* several) {
  if (names.empty()) return "";
  return fmt::format("{} ({})", fmt::join(names, ", "), names.size() == 1 ? one : several);
}

std::string truth_text(const SimulatedNetwork& network) {
  std::vector<std::string> parents, children, co_parents, parts;
  const auto& names = network.table.names;
  const blanket::Dag& dag = network.dag;
  const auto holds = [](const std::vector<std::size_t>& nodes, std::size_t node) {
    return std::count(nodes.begin(), nodes.end(), node) != 0;
  };
  for (const std::size_t node : blanket::markov_blanket(dag, network.target())) {
    const bool parent = holds(dag.parents(network.target()), node), child = holds(dag.children(network.target()), node);
    (parent ? parents : child ? children : co_parents).push_back(names[node]);
  }
  for (std::string part : {listed(parents, "parent", "parents"), listed(children, "child", "children"),
                           listed(co_parents, "co-parent", "co-parents")})
    if (!part.empty()) parts.push_back(std::move(part));
  return fmt::format("the Markov blanket of y is {}",
                     parts.empty() ? "empty" : fmt::format("{}", fmt::join(parts, ", ")));
}

}  // namespace

SimulatedNetwork simulate_network(const NetworkOptions& options) {
  const std::size_t nodes = options.features + 1, n = options.samples;
  base::RandomStream random(base::StreamKey(options.seed)
                                .with("network")
                                .with(network_family_names[static_cast<std::size_t>(options.family)]));
  const std::vector<std::vector<std::size_t>> parents = draw_parents(nodes, random);
  blanket::Dag in_order(nodes);
  for (std::size_t node = 0; node < nodes; ++node)
    for (const std::size_t parent : parents[node]) in_order.add_edge(parent, node);
  const std::size_t target = draw_target(in_order, random);

  // Columns in random order, the target last: places say nothing about causes.
  std::vector<std::size_t> at(nodes);
  std::iota(at.begin(), at.end(), std::size_t{0});
  for (std::size_t i = nodes; i > 1; --i) std::swap(at[i - 1], at[random.below(i)]);
  std::swap(*std::find(at.begin(), at.end(), nodes - 1), at[target]);

  SimulatedNetwork network;
  network.dag = blanket::Dag(nodes);
  network.table.names.resize(nodes);
  network.table.columns.resize(nodes);
  network.table.labels.resize(nodes);
  std::vector<Column> inside(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    std::vector<const Column*> above;
    for (const std::size_t parent : parents[node]) above.push_back(&inside[parent]);
    Sampled sampled = sample_node(options.family, above, n, random);
    inside[node] = std::move(sampled.inside);
    if (sampled.categorical) network.table.labels[at[node]] = class_names(sampled.shown);
    network.table.columns[at[node]] = std::move(sampled.shown);
    network.table.names[at[node]] = at[node] + 1 == nodes ? "y" : fmt::format("x{}", at[node] + 1);
    for (const std::size_t parent : parents[node]) network.dag.add_edge(at[parent], at[node]);
  }
  for (const std::size_t member : blanket::markov_blanket(network.dag, network.target()))
    network.blanket.push_back(network.table.names[member]);
  std::sort(network.blanket.begin(), network.blanket.end());
  network.table.truth = truth_text(network);
  return network;
}

}  // namespace macmi::experiments
