// Whether pairs are looked at, and how the look is kept, followed and stopped.
#include "select/pair_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/name_list.hpp"
#include "interactions/find_pairs.hpp"
#include "macmi/error.hpp"

namespace macmi::select {
namespace {

constexpr std::size_t samples_for_pairs = 50;

/// Words of bits that are looked at, over all scans: a CPU takes some 2 ns for one (bench/pairs_time.cpp).
double work_of(const interactions::QuantisedSamples& samples) {
  constexpr double words_of_a_pair = 16;  // the sums over cells take as long as this many words
  const std::size_t pairs = interactions::pair_count(samples);
  const double scans = static_cast<double>(interactions::permuted_scans(pairs)) + 1;
  return static_cast<double>(pairs) * scans * (static_cast<double>(samples.samples()) / 64 + words_of_a_pair);
}

/// Rows that belong together: permuting rows, as the scan does, says nothing about what chance gives there.
bool rows_belong_together(const Dataset& data) {
  return data.one_series || !data.unit_numbers().empty();
}

constexpr double little_work = 1e10;  ///< less than the tests of so many features take
constexpr double no_work = 1e8;       ///< so little that nobody needs to hear of it

std::string as_text(const std::vector<FeaturePair>& pairs) {
  std::vector<std::string> parts;
  for (const FeaturePair& pair : pairs)
    parts.insert(parts.end(), {pair.a, pair.b, fmt::format("{}", pair.information), fmt::format("{}", pair.alone_a),
                               fmt::format("{}", pair.alone_b)});
  return base::join_names(parts);
}

std::vector<FeaturePair> from_text(const std::string& text) {
  const std::vector<std::string> parts = base::split_names(text);
  const auto number = [&](std::size_t i) { return std::strtod(parts[i].c_str(), nullptr); };
  std::vector<FeaturePair> pairs;
  for (std::size_t i = 0; i + 4 < parts.size(); i += 5)
    pairs.push_back({parts[i], parts[i + 1], number(i + 2), number(i + 3), number(i + 4)});
  return pairs;
}

interactions::PairSearch how_to_look(const Dataset& data, double work, const SelectOptions& resolved,
                                     const SearchHooks& hooks) {
  interactions::PairSearch search;
  search.seed = resolved.test.seed;
  search.threads = resolved.test.threads;
  if (!hooks.on_progress || work < no_work) return search;
  const std::size_t features = data.features.size();
  const TestForecast tests = forecast_tests(features, features, 0, resolved.search);
  search.go_on = [&hooks, features, tests](double done) {
    return hooks.on_progress(
        {fmt::format("pairs of features, {:.0f}%", 100 * done), 0, tests.expected, tests.at_most, features});
  };
  return search;
}

}  // namespace

PairCandidates pair_candidates(const Dataset& data, const SelectOptions& resolved, const SearchHooks& hooks,
                               const FinishedWork& finished) {
  const bool automatic = resolved.interactions == Interactions::automatic;
  if (resolved.interactions == Interactions::none || !resolved.search.asks_all_together()) return {};
  if (automatic && (resolved.method != Method::knn || data.samples() < samples_for_pairs || rows_belong_together(data)))
    return {};
  PairCandidates candidates;
  const interactions::QuantisedSamples samples = interactions::quantise(data, resolved.test.seed);
  const double work = work_of(samples);
  if (automatic && work > little_work)
    return {{},
            fmt::format("pairs of {} columns were not looked at, which would take long; --interactions pairs does",
                        samples.columns.size())};
  if (!automatic &&
      std::any_of(data.features.begin(), data.features.end(), [](const auto& f) { return f.is_series(); }))
    candidates.note = "--interactions pairs: series take no part, their information is in their course";
  const auto look = [&] {
    return interactions::find_pairs(samples, data.feature_names(), how_to_look(data, work, resolved, hooks));
  };
  candidates.pairs =
      finished.text ? from_text(finished.text("pairs of features", [&] { return as_text(look()); })) : look();
  return candidates;
}

void check_interactions(const Dataset& data, const SelectOptions& options) {
  if (options.interactions != Interactions::pairs) return;
  const SelectOptions chosen = resolved(options);
  if (!chosen.search.asks_all_together())
    throw InputError(
        "--interactions pairs gives candidates to the search that asks all features together: leave out --search "
        "paper, --fdr 0 and presets");
  if (rows_belong_together(data))
    throw InputError(
        "--interactions pairs compares with permuted rows, and rows of one unit or series belong together: leave it "
        "out with --unit or --time");
  if (wants_maps(data, chosen.maps))
    throw InputError(
        "--interactions pairs looks at columns as they are, and this selection learns maps of them: add --maps none");
}

}  // namespace macmi::select
