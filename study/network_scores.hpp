// How much of the blanket of a simulated network's target a search finds.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/simulations/network.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"
#include "set_worth.hpp"

namespace macmi::study {

inline constexpr std::size_t held_out = 1000;

struct Recipe {
  std::string title;
  Method method;
  SearchProcedure search;
};
inline const std::vector<Recipe> recipes = {{"k-NN, fixpoint", Method::knn, SearchProcedure::fixpoint},
                                            {"Fisher z, fixpoint", Method::fisherz, SearchProcedure::fixpoint}};

struct Score {
  double precision = 0, recall = 0, f1 = 0, tests = 0, cpu_seconds = 0;
  /// The share of true members that the test finds given the true others, and the recall among these.
  double measurable = 0, recall_of_measurable = 0;
  static constexpr double Score::*parts[] = {
      &Score::precision,           &Score::recall, &Score::f1, &Score::tests, &Score::cpu_seconds, &Score::measurable,
      &Score::recall_of_measurable};
};

/// A network's samples: those that are searched, and as many more for prediction.
struct Sampled {
  std::vector<std::string> truth;
  Dataset all, searched;
  std::size_t n;
};

inline Sampled sampled(experiments::NetworkOptions options) {
  const std::size_t n = options.samples;
  options.samples += held_out;
  experiments::SimulatedNetwork network = experiments::simulate_network(options);
  Dataset all = experiments::as_dataset(std::move(network.table), 1);
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), std::size_t{0});
  Dataset searched = take_samples(all, first);
  return {std::move(network.blanket), std::move(all), std::move(searched), n};
}

/// The result of a search, and the worth of the set where it is the recipe's that this study is about.
struct Measured {
  Score score;
  std::optional<SetWorth> worth;
};

/// The true members that the test finds in these samples given the true others, at the level that Benjamini-Hochberg
/// over all features asks of them: no search with this test can be expected to find more.
inline std::vector<std::string> measurable(const Sampled& network, const SelectOptions& options) {
  const std::unique_ptr<SelectionTest> test = make_selection_test(network.searched, options);
  const auto names = test->features();
  std::vector<std::size_t> truth;
  for (std::size_t f = 0; f < names.size(); ++f)
    if (std::binary_search(network.truth.begin(), network.truth.end(), names[f])) truth.push_back(f);
  const double level = options.search.fdr * static_cast<double>(truth.size()) / static_cast<double>(names.size());
  std::vector<std::string> found;
  for (const std::size_t f : truth) {
    std::vector<std::size_t> others = truth;
    std::erase(others, f);
    if (resolved_p(test->test(f, others)) <= std::min(level, options.search.alpha)) found.push_back(names[f]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline double hits(const std::vector<std::string>& members, const std::vector<std::string>& sorted_truth) {
  double count = 0;
  for (const std::string& member : members)
    count += std::binary_search(sorted_truth.begin(), sorted_truth.end(), member);
  return count;
}

inline Measured measure(const experiments::NetworkOptions& options, const Recipe& recipe, bool with_worth) {
  const Sampled network = sampled(options);
  SelectOptions select;
  select.method = recipe.method;
  select.search.search = recipe.search;
  select.no_evidence = true;
  const std::clock_t start = std::clock();
  const Selection selection = select_features(network.searched, select);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const std::vector<std::string>& members = selection.blanket.members;
  const double right = hits(members, network.truth);
  const double found = static_cast<double>(members.size()), all = static_cast<double>(network.truth.size());
  const std::vector<std::string> can_be_found = measurable(network, select);
  const double can = static_cast<double>(can_be_found.size());
  Measured measured{{found > 0 ? right / found : 1, right / all, 2 * right / (found + all),
                     static_cast<double>(selection.blanket.tests), seconds, can / all,
                     can > 0 ? hits(members, can_be_found) / can : 1},
                    {}};
  if (with_worth && &recipe == &recipes.front() && predictable(network.all))
    measured.worth = worth_of(selection, network.truth, network.all, network.n);
  return measured;
}

inline std::string text_of(const Measured& m) {
  std::string text;
  for (double Score::*part : Score::parts) text += fmt::format("{} ", m.score.*part);
  return text + (m.worth ? " worth " + m.worth->text() : "");
}
inline Score score_of(const std::string& text) {
  Score s;
  std::istringstream in(text);
  for (double Score::*part : Score::parts) in >> s.*part;
  return s;
}

inline std::optional<SetWorth> worth_in(const std::string& text) {
  const std::size_t at = text.find(" worth ");
  if (at == std::string::npos || text.ends_with(" no worth")) return std::nullopt;
  return SetWorth::read(text.substr(at + 7));
}

}  // namespace macmi::study
