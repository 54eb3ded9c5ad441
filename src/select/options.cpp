#include <algorithm>
#include <array>
#include <string_view>

#include "macmi/select.hpp"

namespace macmi {

SelectOptions::SelectOptions() {
  test.z_weight = 2;  // conditioning sets must match closely: see docs/search.md
  test.stop = StopRule::fast;
  test.remainders_of_few = true;
}

std::vector<Option> declare(SelectOptions& o) {
  std::vector<Option> options = declare(o.search);
  options.push_back({.name = "method",
                     .field = choice_of(o.method, method_words()),
                     .meaning =
                         "Test: k-NN conditional mutual information (any dependence), partial correlation (linear), "
                         "or a method the paper compares with (sdcit, ccit)"});
  options.push_back({.name = "interactions",
                     .field = choice_of(o.interactions, {"auto", "pairs", "none"}),
                     .meaning = "Look at all pairs of columns for features that tell something only together; auto: "
                                "pairs, with the k-NN test on columns as they are, where that takes seconds"});
  for (Option& option : declare(o.maps)) options.push_back(std::move(option));
  constexpr std::array<std::string_view, 2> declared_by_the_search = {"alpha", "min-cmi"};
  for (Option& option : declare(o.test))
    if (std::count(declared_by_the_search.begin(), declared_by_the_search.end(), option.name) == 0)
      options.push_back(std::move(option));
  options.push_back(
      {.name = "stability",
       .field = &o.stability.subsamples,
       .meaning =
           "Repeat the search on this many random subsamples and tell how often each feature was selected; 0: not at "
           "all; auto: ten light repetitions from the answer, where they take no more work than the search",
       .high = 10000});
  options.push_back({.name = "stability-share",
                     .field = &o.stability.share,
                     .meaning = "Share of the samples in each of these subsamples, drawn without replacement",
                     .low = 0.01,
                     .high = 1});
  options.push_back({.name = "no-evidence",
                     .field = &o.no_evidence,
                     .meaning = "End with the search: effects, full p-values and the question whether the selected "
                                "features are enough are left out"});
  return options;
}

std::vector<Option> declare(SelectionInputs& inputs) {
  std::vector<Option> options = declare(inputs.data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });
  for (Option& option : declare(inputs.select)) options.push_back(std::move(option));
  return options;
}

DataOptions data_options(const SelectionInputs& inputs) {
  DataOptions data = inputs.data;
  data.seed = inputs.select.test.seed;
  data.threads = inputs.select.test.threads;
  return data;
}

OptionTexts deciding_options(SelectOptions options) {
  OptionTexts values;
  for (const Option& option : declare(options))
    if (option.name != "threads") values.emplace_back(option.name, value_text(option));
  return values;
}

namespace {

/// Tests and search as the paper runs them: k = 100, every permutation, Algorithm 1 as printed.
void apply_preset(SelectOptions& o) {
  if (o.maps.preset == MapsPreset::none) return;
  const SelectOptions unset;
  if (o.test.k.is_automatic()) o.test.k = NeighbourCount(100);
  if (o.test.stop == unset.test.stop) o.test.stop = StopRule::never;
  if (o.test.z_weight == unset.test.z_weight) o.test.z_weight = 1;
  o.test.no_adjustment = true;
  o.search.search = SearchProcedure::paper;
  o.test.centres = 0;
  o.search.no_shrink = true;
  o.no_evidence = true;
}

}  // namespace

SelectOptions resolved(SelectOptions o) {
  apply_preset(o);
  o.test.alpha = o.search.alpha;
  o.test.min_cmi = o.search.min_cmi;
  o.search.threads = o.test.threads;
  o.maps.delta = o.search.delta;
  o.maps.seed = o.test.seed;
  o.maps.threads = o.test.threads;
  return o;
}

}  // namespace macmi
