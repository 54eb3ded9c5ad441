#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "macmi/graph.hpp"

namespace macmi {
namespace {

/// Options of a selection that a graph has beside those of tests, with their meaning where it differs.
struct Taken {
  std::string_view name, meaning;
};
constexpr std::array<Taken, 6> taken_from_search = {{
    {"delta", "Largest conditioning set of a pair"},
    {"alpha", ""},
    {"min-cmi", ""},
    {"fdr",
     "False discovery rate among the pairs that depend on each other given nothing, over all pairs together "
     "(Benjamini-Hochberg); 0: every test at alpha alone"},
    {"budget", ""},
    {"method", ""},
}};

void append(std::vector<Option>& all, std::vector<Option> more) {
  for (Option& option : more) all.push_back(std::move(option));
}

}  // namespace

GraphOptions::GraphOptions() {
  select.no_evidence = true;
}

std::vector<Option> declare(GraphOptions& o) {
  std::vector<Option> options;
  std::vector<std::string> of_test;
  for (const Option& option : declare(o.select.test)) of_test.push_back(option.name);
  for (Option& option : declare(o.select)) {
    const auto taken = std::find_if(taken_from_search.begin(), taken_from_search.end(),
                                    [&](const Taken& t) { return t.name == option.name; });
    if (taken == taken_from_search.end() && std::count(of_test.begin(), of_test.end(), option.name) == 0) continue;
    if (taken != taken_from_search.end() && !taken->meaning.empty()) option.meaning = taken->meaning;
    options.push_back(std::move(option));
  }
  options.push_back({.name = "start",
                     .field = choice_of(o.start, {"all", "blankets"}),
                     .meaning = "Edges to begin with: all pairs (the PC algorithm), or pairs of which each is in the "
                                "other's Markov blanket"});
  options.push_back({.name = "first-separators",
                     .field = &o.first_separators,
                     .meaning = "Directions by the first set that separates two nodes, as PC takes it, instead of the "
                                "one with the largest p-value: fewer tests, more wrong directions"});
  options.push_back(
      {.name = "must",
       .field = &o.must,
       .meaning = "Edges that are known: 'a->b' where a causes b, 'a--b' where the direction is not known"});
  options.push_back({.name = "never",
                     .field = &o.never,
                     .meaning = "Edges that are known not to be: 'a->b' in this direction, 'a--b' in none"});
  options.push_back({.name = "order",
                     .field = &o.order,
                     .meaning = "Parts in the order of time, 'a,b | c | d': later nodes cause no earlier ones; nodes "
                                "that are not named are free",
                     .value_name = "'A,B | C'"});
  options.push_back({.name = "stability",
                     .field = &o.subsamples,
                     .meaning = "Learn the graph again on this many random subsamples and tell how often each edge is "
                                "there; 0: not at all",
                     .high = 10000});
  options.push_back({.name = "stability-share",
                     .field = &o.select.stability.share,
                     .meaning = "Share of the samples in each of these subsamples, drawn without replacement",
                     .low = 0.01,
                     .high = 1});
  return options;
}

std::vector<Option> declare(GraphInputs& inputs) {
  std::vector<Option> options = declare(inputs.data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed" || option.name == "target"; });
  append(options, declare(inputs.graph));
  return options;
}

DataOptions data_options(const GraphInputs& inputs) {
  DataOptions data = inputs.data;
  data.seed = inputs.graph.select.test.seed;
  data.threads = inputs.graph.select.test.threads;
  return data;
}

}  // namespace macmi
