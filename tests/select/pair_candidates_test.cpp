// When pairs of features are looked at for a search, and how the look is kept, told of and cancelled.
#include "select/pair_candidates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::select {
namespace {

/// Columns x0 … of noise; the target is the product of x0 and x1.
Dataset product(std::size_t n, std::size_t columns) {
  base::RandomStream random(base::StreamKey(11).with(n).with(columns));
  Dataset data;
  data.features.resize(columns);
  data.target.name = "y";
  data.target.columns.resize(1);
  data.rows.resize(n);
  for (std::size_t f = 0; f < columns; ++f) {
    data.features[f].name = fmt::format("x{}", f);
    data.features[f].columns.resize(1);
    for (std::size_t i = 0; i < n; ++i) data.features[f].columns[0].values.push_back(random.normal());
  }
  for (std::size_t i = 0; i < n; ++i)
    data.target.columns[0].values.push_back(data.features[0].columns[0].values[i] *
                                            data.features[1].columns[0].values[i]);
  return data;
}

std::size_t pairs_with(const Dataset& data, const SelectOptions& options) {
  return pair_candidates(data, resolved(options), {}, {}).pairs.size();
}

TEST(PairCandidates, AreLookedForWhereTheTestCanSeeThem) {
  const Dataset data = product(300, 10);
  SelectOptions options;
  EXPECT_EQ(pairs_with(data, options), 1u);
  options.method = Method::fisherz;
  EXPECT_EQ(pairs_with(data, options), 0u);
  options.interactions = Interactions::pairs;
  EXPECT_EQ(pairs_with(data, options), 1u);
  options.search.fdr = 0;
  EXPECT_EQ(pairs_with(data, options), 0u);
  SelectOptions none;
  none.interactions = Interactions::none;
  EXPECT_EQ(pairs_with(data, none), 0u);
  EXPECT_EQ(pairs_with(product(49, 4), {}), 0u);
}

TEST(PairCandidates, AreKeptAsText) {
  const Dataset data = product(300, 6);
  std::map<std::string, std::string> kept;
  std::size_t made = 0;
  const FinishedWork work{[&](const std::string& name, const std::function<std::string()>& make) {
    if (!kept.contains(name)) kept[name] = make(), ++made;
    return kept[name];
  }};
  const PairCandidates first = pair_candidates(data, resolved({}), {}, work);
  const PairCandidates again = pair_candidates(data, resolved({}), {}, work);
  EXPECT_EQ(made, 1u);
  ASSERT_EQ(first.pairs.size(), 1u);
  ASSERT_EQ(again.pairs.size(), 1u);
  const FeaturePair fresh = pair_candidates(data, resolved({}), {}, {}).pairs.at(0), &stored = again.pairs[0];
  EXPECT_EQ(std::tuple(stored.a, stored.b, stored.information, stored.alone_a, stored.alone_b),
            std::tuple(fresh.a, fresh.b, fresh.information, fresh.alone_a, fresh.alone_b));
}

/// A look of a moment is not told of; a longer one is a stage that the listener can end.
TEST(PairCandidates, ALongLookCanBeCancelled) {
  std::string stage;
  SearchHooks hooks;
  hooks.on_progress = [&](const SearchProgress& progress) {
    stage = progress.stage;
    return false;
  };
  EXPECT_EQ(pair_candidates(product(300, 6), resolved({}), hooks, {}).pairs.size(), 1u);
  EXPECT_EQ(stage, "");
  EXPECT_THROW(pair_candidates(product(4000, 200), resolved({}), hooks, {}), Cancelled);
  EXPECT_EQ(stage, "pairs of features, 0%");
}

TEST(PairCandidates, SeriesTakeNoPartAndTheResultSaysSo) {
  Dataset data = product(200, 4);
  data.features[3].columns.push_back(data.features[3].columns[0]);
  data.features[3].steps = 2;
  SelectOptions options;
  EXPECT_EQ(pair_candidates(data, resolved(options), {}, {}).note, "");
  options.interactions = Interactions::pairs;
  EXPECT_NE(pair_candidates(data, resolved(options), {}, {}).note.find("series take no part"), std::string::npos);
}

}  // namespace
}  // namespace macmi::select
