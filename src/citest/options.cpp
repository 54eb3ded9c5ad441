#include "macmi/ci_test.hpp"

namespace macmi {

std::vector<Option> declare(TestOptions& o) {
  return {
      {.name = "k",
       .field = &o.k,
       .meaning = "Neighbours: a number, a fraction of the samples, or auto, which combines 5, 20, a tenth of the "
                  "samples (at most 100) "
                  "and the correlation over all of them into one calibrated test"},
      {.name = "no-correlation", .field = &o.no_correlation, .meaning = "With --k auto: neighbours alone"},
      {.name = "alpha",
       .field = &o.alpha,
       .meaning = "Level of the test; stopping rules aim at it",
       .low = 0,
       .high = 1},
      {.name = "permutations",
       .field = &o.permutations,
       .meaning = "Local permutations at most",
       .low = 1,
       .high = 1e9},
      {.name = "neighbours",
       .field = &o.neighbours,
       .meaning = "A sample's value is exchanged among this many nearest in z, itself included",
       .low = 1},
      {.name = "centres",
       .field = &o.centres,
       .meaning = "Where there are more samples than this, the statistic is taken at so many of them, with neighbours "
                  "among all; 0: at all samples",
       .low = 0,
       .high = 1e9},
      {.name = "no-adjustment",
       .field = &o.no_adjustment,
       .meaning = "Exchange x as it is (Runge 2018); else what a regression on z explains of a continuous x stays with "
                  "its sample"},
      {.name = "transform",
       .field = choice_of(o.transform, {"none", "block", "standardize", "ranks", "auto"}),
       .meaning =
           "Scaling before distances: one scale per variable (block), per column (standardize), ranks, none; auto "
           "takes ranks between single columns with nothing given, block otherwise"},
      {.name = "ties",
       .field = choice_of(o.ties, {"auto", "continuous", "mixed"}),
       .meaning =
           "Counting rule: continuous (Frenzel-Pompe) or mixed (Mesner-Shalizi, for repeated values); auto looks "
           "at the data"},
      {.name = "z-weight",
       .field = &o.z_weight,
       .meaning = "Scale of the conditioning block against x and y; above 1 it must match more closely",
       .low = 1e-6,
       .high = 1e6},
      {.name = "stop",
       .field = choice_of(o.stop, {"never", "exact", "fast", "auto"}),
       .meaning = "End early: never; when the decision at alpha can no longer change (exact); when it is all but "
                  "certain (fast); auto: exact, and fast where there are more samples than --centres"},
      {.name = "resampling-risk",
       .field = &o.resampling_risk,
       .meaning = "With --stop fast: probability of deciding otherwise than with infinitely many permutations",
       .low = 1e-12,
       .high = 0.5},
      {.name = "permute",
       .field = choice_of(o.permute, {"class", "x", "y", "auto"}),
       .meaning =
           "The variable that is permuted: a class rather than numbers where something is given, else x (class); "
           "likewise, but the numbers with fewer columns (auto)"},
      {.name = "min-cmi",
       .field = &o.min_cmi,
       .meaning =
           "Effects below this many nats count as none; with --stop fast a test that is clearly below ends early",
       .low = 0},
      {.name = "seed", .field = &o.seed, .meaning = "Seed of the random numbers"},
      {.name = "threads", .field = &o.threads, .meaning = "Threads; 0 means every core. Results do not depend on it"},
  };
}

}  // namespace macmi
