#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "macmi/blanket.hpp"

namespace macmi::blanket {

/// The features in the order of their names (rank), and what is settled about them before any test.
struct Candidates {
  std::vector<std::string> names;
  std::vector<std::size_t> index_of;  ///< in TargetCiTest::features()
  std::vector<std::size_t> dimensions;
  std::vector<bool> must, never;
  struct Pair {
    std::size_t a, b;
    FeaturePair found;
  };
  std::vector<Pair> pairs;                  ///< of features that are searched, the surest first, each once
  std::vector<std::size_t> representative;  ///< the copy searched in its place; itself when it is no copy

  std::size_t size() const { return names.size(); }
  bool searched(std::size_t rank) const { return representative[rank] == rank && !never[rank]; }
};

/// Throws InputError for unknown, contradictory or repeated names.
Candidates prepare_candidates(const TargetCiTest& test, const SearchOptions& options, const FeatureFacts& facts);

}  // namespace macmi::blanket
