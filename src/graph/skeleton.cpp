#include "graph/skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "blanket/decision.hpp"

namespace macmi::graph {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;
using Set = std::vector<std::size_t>;

std::vector<Pair> edges_of(const MixedGraph& graph) {
  std::vector<Pair> edges;
  for (std::size_t a = 0; a < graph.nodes(); ++a)
    for (std::size_t b = a + 1; b < graph.nodes(); ++b)
      if (graph.adjacent(a, b)) edges.emplace_back(a, b);
  return edges;
}

std::size_t choose(std::size_t n, std::size_t k) {
  double product = 1;
  for (std::size_t i = 1; i <= k; ++i) product *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return k > n ? 0 : static_cast<std::size_t>(std::min(product, 1e12));
}

/// One size of the conditioning sets. The graph and the findings of smaller sizes are not changed meanwhile.
class Level {
 public:
  Level(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules, const MixedGraph& graph,
        const AllFindings& before, std::size_t size)
      : ledger_(ledger), knowledge_(knowledge), rules_(rules), graph_(graph), before_(before), size_(size) {}

  std::size_t sets_of(const Pair& pair) const {
    return choose(candidates(pair.first, pair.second).size(), size_) +
           (size_ > 0 ? choose(candidates(pair.second, pair.first).size(), size_) : 0);
  }

  /// Asks every set and keeps the one that separates most surely.
  void ask_all(const Pair& pair, PairFindings& findings) const {
    const auto surer = [](const CiResult& a, const CiResult& b) {
      const double p = resolved_p(a), other = resolved_p(b);
      return p != other ? p > other : a.effect < b.effect;
    };
    for (const auto& [of, other] : {pair, Pair{pair.second, pair.first}})
      any_subset(candidates(of, other), [&](const Set& set) {
        PairFindings now;
        if (ask(pair, set, now) && surer(now.separated_by->result, findings.separated_by->result))
          findings.separated_by = now.separated_by;
        return false;
      });
  }

  /// Asks one set after the other, until one separates.
  void ask(const Pair& pair, PairFindings& findings) const {
    const Set of_a = candidates(pair.first, pair.second), of_b = candidates(pair.second, pair.first);
    const auto separates = [&](const Set& set) { return ask(pair, set, findings); };
    if (any_subset(of_a, separates) || size_ == 0) return;
    any_subset(of_b, [&](const Set& set) {
      const bool known = std::all_of(set.begin(), set.end(), [&](std::size_t node) {
        return std::find(of_a.begin(), of_a.end(), node) != of_a.end();
      });
      return !known && separates(set);
    });
  }

 private:
  /// Neighbours that may be parents of `of`; first those that tell much of both, since they are likely to separate.
  Set candidates(std::size_t of, std::size_t other) const {
    Set all = graph_.neighbours(of);
    std::erase_if(all, [&](std::size_t node) { return node == other || !knowledge_.may_cause(node, of); });
    const auto tells_of_both = [&](std::size_t node) { return std::min(alone(node, of), alone(node, other)); };
    std::stable_sort(all.begin(), all.end(),
                     [&](std::size_t a, std::size_t b) { return tells_of_both(a) > tells_of_both(b); });
    return all;
  }
  double alone(std::size_t a, std::size_t b) const {
    const PairFindings& found = before_.of(a, b);
    const bool independent = found.separated_by.has_value() || !found.weakest;
    return independent || std::isnan(found.weakest->result.effect) ? 0 : found.weakest->result.effect;
  }

  bool any_subset(const Set& from, const std::function<bool(const Set&)>& check) const {
    if (from.size() < size_) return false;
    std::vector<bool> taken(from.size(), false);
    std::fill(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(size_), true);
    do {
      Set set;
      for (std::size_t i = 0; i < from.size(); ++i)
        if (taken[i]) set.push_back(from[i]);
      if (check(set)) return true;
    } while (std::prev_permutation(taken.begin(), taken.end()));
    return false;
  }

  bool ask(const Pair& pair, Set set, PairFindings& findings) const {
    std::sort(set.begin(), set.end());
    const CiResult result = ledger_.ask(pair.first, pair.second, set);
    const blanket::DecisionRule rule{rules_.alpha, rules_.min_cmi, false, {}};
    const bool separates = rule.at_alpha(result) == blanket::Outcome::independent;
    if (separates) findings.separated_by = {set, result};
    findings.add(std::move(set), result);
    return separates;
  }

  PairLedger& ledger_;
  const Knowledge& knowledge_;
  const SkeletonRules& rules_;
  const MixedGraph& graph_;
  const AllFindings& before_;
  std::size_t size_;
};

/// Returns false where no pair had enough neighbours.
bool walk_level(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules, std::size_t size,
                MixedGraph& graph, AllFindings& findings) {
  const AllFindings before = findings;
  const Level level(ledger, knowledge, rules, graph, before, size);
  std::vector<Pair> pairs = edges_of(graph);
  std::size_t sets = 0;
  std::erase_if(pairs, [&](const Pair& pair) {
    const std::size_t own = level.sets_of(pair);
    sets += own;
    return own == 0;
  });
  if (pairs.empty()) return false;
  ledger.enter(size == 0 ? "all pairs" : fmt::format("pairs given {}", size), sets);
  const auto take_out = [&] {
    for (const auto& [a, b] : pairs)
      if (findings.of(a, b).separated_by && !knowledge.must_join(a, b)) graph.remove(a, b);
  };
  try {
    base::parallel_for(pairs.size(), 1, rules.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) level.ask(pairs[i], findings.of(pairs[i].first, pairs[i].second));
    });
  } catch (const TimeUsedUp&) {
    take_out();
    throw;
  }
  take_out();
  return true;
}

/// Benjamini-Hochberg over all pairs: of those that nothing connects few stay joined, however many there are.
void screen(const Knowledge& knowledge, const SkeletonRules& rules, MixedGraph& graph, AllFindings& findings) {
  const blanket::DecisionRule rule{rules.alpha, rules.min_cmi, false, {}};
  const std::vector<Pair> edges = edges_of(graph);
  std::vector<double> p_values;
  for (const auto& [a, b] : edges) {
    const auto& weakest = findings.of(a, b).weakest;
    const double p = weakest ? rule.joint_p(weakest->result) : 1;
    p_values.push_back(std::isnan(p) ? 1 : p);
  }
  std::vector<bool> kept(edges.size(), false);
  for (const std::size_t i : blanket::benjamini_hochberg(p_values, graph.nodes() * (graph.nodes() - 1) / 2, rules.fdr))
    kept[i] = true;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& [a, b] = edges[i];
    if (kept[i] || knowledge.must_join(a, b)) continue;
    graph.remove(a, b);
    findings.of(a, b).separated_by = findings.of(a, b).weakest;
  }
}

bool have_common_neighbour(const MixedGraph& graph, std::size_t a, std::size_t b) {
  for (std::size_t c = 0; c < graph.nodes(); ++c)
    if (c != a && c != b && graph.adjacent(a, c) && graph.adjacent(c, b)) return true;
  return false;
}

}  // namespace

void PairFindings::add(std::vector<std::size_t> given, const CiResult& result) {
  if (std::isnan(result.p_value)) return;
  const auto weaker = [](const CiResult& a, const CiResult& b) {
    const double p = resolved_p(a), other = resolved_p(b);
    return p != other ? p > other : a.effect < b.effect;
  };
  if (!weakest || weaker(result, weakest->result)) weakest = {std::move(given), result};
}

void find_skeleton(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules, MixedGraph& graph,
                   AllFindings& findings) {
  for (const auto& [a, b] : edges_of(graph))
    if (!knowledge.may_join(a, b)) graph.remove(a, b);
  for (std::size_t size = 0; size <= rules.largest_set; ++size) {
    if (!walk_level(ledger, knowledge, rules, size, graph, findings)) break;
    if (size == 0 && rules.fdr > 0) screen(knowledge, rules, graph, findings);
  }
}

void find_surest_separators(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules,
                            const MixedGraph& graph, AllFindings& findings) {
  const AllFindings before = findings;
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < graph.nodes(); ++a)
    for (std::size_t b = a + 1; b < graph.nodes(); ++b)
      if (!graph.adjacent(a, b) && findings.of(a, b).separated_by && have_common_neighbour(graph, a, b))
        pairs.emplace_back(a, b);
  std::size_t sets = 0;
  for (std::size_t size = 0; size <= rules.largest_set; ++size)
    for (const Pair& pair : pairs) sets += Level(ledger, knowledge, rules, graph, before, size).sets_of(pair);
  ledger.enter("surest separating sets", sets);
  base::parallel_for(pairs.size(), 1, rules.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t size = 0; size <= rules.largest_set; ++size)
        Level(ledger, knowledge, rules, graph, before, size)
            .ask_all(pairs[i], findings.of(pairs[i].first, pairs[i].second));
  });
}

}  // namespace macmi::graph
