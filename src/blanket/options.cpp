#include <cmath>
#include <cstdlib>

#include "macmi/blanket.hpp"
#include "macmi/error.hpp"

namespace macmi {

std::vector<Option> declare(SearchOptions& o) {
  return {
      {.name = "search",
       .field = choice_of(o.search, {"fixpoint", "paper"}),
       .meaning = "Procedure: Algorithm 1 and then all features asked together until nothing changes, or the paper's "
                  "Algorithm 1 with every test at alpha"},
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
       .meaning = "False discovery rate among the selected features, controlled over all features together "
                  "(Benjamini-Hochberg); 0: the paper's procedure, every test at alpha",
       .low = 0,
       .high = 1},
      {.name = "no-children",
       .field = &o.no_children,
       .meaning = "The target causes no feature: find its direct causes, without the steps that look for co-parents"},
      {.name = "no-shrink",
       .field = &o.no_shrink,
       .meaning = "With --search paper: skip the shrink pass, the algorithm as printed"},
      {.name = "shrink-limit",
       .field = &o.shrink_limit,
       .meaning =
           "With --search paper: largest conditioning dimension of the shrink pass; 0: what the test has power for"},
      {.name = "must", .field = &o.must, .meaning = "Features known to belong to the blanket: kept and conditioned on"},
      {.name = "never",
       .field = &o.never,
       .meaning = "Features known not to belong to the blanket: left out of the search"},
      {.name = "n-features",
       .field = &o.n_features,
       .meaning =
           "Select exactly this many: further ones join in the order of their p-values, or the weakest leave; 0: "
           "as many as the tests say"},
      {.name = "max-tests",
       .field = &o.max_tests,
       .meaning = "Stop after this many tests with the best answer so far, marked as partial; 0: no limit"},
      {.name = "budget",
       .field = &o.budget,
       .meaning = "Stop after this time, for example 90s, 10m or 2h, with the best answer so far, marked as partial",
       .value_name = "TIME"},
  };
}

double budget_seconds(const std::string& text) {
  if (text.empty()) return 0;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == text.c_str() || factor == 0 || !std::isfinite(number) || number <= 0)
    throw InputError("--budget " + text + ": give a time such as 90s, 10m or 2h");
  return number * factor;
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
    case Reason::too_weak:
      return "too weak";
    case Reason::undecidable:
      return "cannot be told apart";
    case Reason::number_asked:
      return "n-features";
    case Reason::tested:
      break;
  }
  return "tested";
}

}  // namespace macmi
