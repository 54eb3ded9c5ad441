#pragma once
#include "graph/skeleton.hpp"

namespace macmi::graph {

/// Pairs of nodes of which each is in the other's Markov blanket (the AND rule). For the others `findings` gets the
/// test that left one out of the other's blanket. With true tests these are the edges and the pairs of parents of a
/// common child; both ends of an edge have to say so, which makes false members rare.
MixedGraph join_blankets(PairLedger& ledger, const Knowledge& knowledge, const SearchOptions& options,
                         std::size_t threads, AllFindings& findings);

}  // namespace macmi::graph
