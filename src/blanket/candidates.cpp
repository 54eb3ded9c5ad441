#include "blanket/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/suggest.hpp"
#include "macmi/error.hpp"

namespace macmi::blanket {
namespace {

std::size_t rank_of(const Candidates& c, const std::string& name, const char* where) {
  const auto found = std::lower_bound(c.names.begin(), c.names.end(), name);
  if (found == c.names.end() || *found != name)
    throw InputError(fmt::format("{}: there is no feature '{}'{}", where, name, base::did_you_mean(name, c.names)));
  return static_cast<std::size_t>(found - c.names.begin());
}

void mark(Candidates& c, const std::vector<std::string>& names, const char* where, std::vector<bool>& marks) {
  marks.assign(c.size(), false);
  for (const std::string& name : names) marks[rank_of(c, name, where)] = true;
}

/// Of a group of copies the one to search: a required one, else an allowed one; the first by name among equals.
void choose_representative(Candidates& c, const std::vector<std::string>& group) {
  std::vector<std::size_t> ranks;
  for (const std::string& name : group) ranks.push_back(rank_of(c, name, "duplicates"));
  const auto preference = [&](std::size_t r) { return std::tuple(!c.must[r], c.never[r], r); };
  std::sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) { return preference(a) < preference(b); });
  for (const std::size_t rank : ranks) c.representative[rank] = ranks.front();
}

/// Copies stand for the feature that is searched in their place; a pair of copies tells nothing.
void add_pairs(Candidates& c, const std::vector<FeaturePair>& pairs) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const FeaturePair& pair : pairs) {
    const std::size_t a = c.representative[rank_of(c, pair.a, "pairs")],
                      b = c.representative[rank_of(c, pair.b, "pairs")];
    if (a != b && c.searched(a) && c.searched(b) && seen.insert(std::minmax(a, b)).second)
      c.pairs.push_back({a, b, pair});
  }
}

}  // namespace

Candidates prepare_candidates(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts) {
  const auto features = test.features();
  Candidates c;
  c.index_of.resize(features.size());
  std::iota(c.index_of.begin(), c.index_of.end(), std::size_t{0});
  std::sort(c.index_of.begin(), c.index_of.end(),
            [&](std::size_t a, std::size_t b) { return features[a] < features[b]; });
  for (const std::size_t index : c.index_of) {
    if (!c.names.empty() && c.names.back() == features[index])
      throw InputError(fmt::format("two features are named '{}': give every feature its own name", features[index]));
    c.names.push_back(features[index]);
    c.dimensions.push_back(facts.dimensions.empty() ? 1 : facts.dimensions.at(index));
  }
  mark(c, options.must, "--must", c.must);
  mark(c, options.never, "--never", c.never);
  for (std::size_t rank = 0; rank < c.size(); ++rank)
    if (c.must[rank] && c.never[rank])
      throw InputError(fmt::format("'{}' is in --must and in --never: leave it in one of them", c.names[rank]));
  c.representative.resize(c.size());
  std::iota(c.representative.begin(), c.representative.end(), std::size_t{0});
  for (const auto& group : facts.duplicates) choose_representative(c, group);
  add_pairs(c, facts.pairs);
  return c;
}

}  // namespace macmi::blanket
