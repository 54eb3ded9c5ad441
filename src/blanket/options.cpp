#include "macmi/blanket.hpp"

namespace macmi {

std::vector<Option> declare(SearchOptions& o) {
  return {
      {.name = "delta",
       .field = &o.delta,
       .meaning = "Largest conditioning set in the search for adjacent features (Δ)"},
      {.name = "alpha",
       .field = &o.alpha,
       .meaning = "Level of every test: independent if p is above it",
       .low = 0,
       .high = 1},
      {.name = "min-cmi",
       .field = &o.min_cmi,
       .meaning = "Nats above the null's mean that a dependence must reach; below counts as independent",
       .low = 0},
      {.name = "fdr",
       .field = &o.fdr,
       .meaning = "Control the false discovery rate of the marginal screen at this level (Benjamini-Hochberg); 0: off",
       .low = 0,
       .high = 1},
      {.name = "no-children",
       .field = &o.no_children,
       .meaning = "The target causes no feature: find its direct causes, without co-parent step and shrink pass"},
      {.name = "no-shrink", .field = &o.no_shrink, .meaning = "Skip the shrink pass: the paper's algorithm as printed"},
      {.name = "shrink-limit",
       .field = &o.shrink_limit,
       .meaning =
           "Largest conditioning dimension of the shrink pass; 0: what the test has power for with the samples given"},
      {.name = "must", .field = &o.must, .meaning = "Features known to belong to the blanket: kept and conditioned on"},
      {.name = "never",
       .field = &o.never,
       .meaning = "Features known not to belong to the blanket: left out of the search"},
      {.name = "max-tests",
       .field = &o.max_tests,
       .meaning = "Stop after this many tests with the best answer so far, marked as partial; 0: no limit"},
  };
}

const char* text(Role role) {
  switch (role) {
    case Role::adjacent:
      return "adjacent";
    case Role::co_parent:
      return "co-parent";
    case Role::excluded:
      break;
  }
  return "excluded";
}

const char* text(Reason reason) {
  switch (reason) {
    case Reason::required:
      return "must";
    case Reason::forbidden:
      return "never";
    case Reason::copy:
      return "copy";
    case Reason::not_reached:
      return "not reached";
    case Reason::tested:
      break;
  }
  return "tested";
}

}  // namespace macmi
