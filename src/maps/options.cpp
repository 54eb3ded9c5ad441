#include <array>

#include "macmi/maps.hpp"

namespace macmi {

std::vector<Option> declare(MapsOptions& o) {
  return {
      {.name = "maps",
       .field = choice_of(o.kind, {"auto", "mlp", "gru", "none"}),
       .meaning = "Feature maps to learn: auto (mlp for features of several columns, gru for series, single columns as "
                  "they are), "
                  "mlp for every feature, gru for series and mlp for other features of several columns, none"},
      {.name = "map-dim",
       .field = &o.map_dim,
       .meaning = "Numbers that a feature map gives per sample; 0: as many as the target needs, 1 for one number or "
                  "two classes",
       .high = 16},
      {.name = "lambda",
       .field = &o.lambda,
       .meaning = "Weight of information efficiency: distances of mapped samples should equal the divergence of what "
                  "they predict",
       .low = 0,
       .high = 1e3},
      {.name = "folds",
       .field = &o.folds,
       .meaning =
           "Learn the maps of each of this many parts of the samples on the other parts; 1: learn and test on the same "
           "samples; 0: 2 for series and below 4,000 samples, else 1 unless maps overfit",
       .high = 100},
      {.name = "holdout",
       .field = &o.holdout,
       .meaning =
           "Share of the samples kept from training, to choose among restarts and to measure the surrogate's gains",
       .low = 0.01,
       .high = 0.9},
      {.name = "restarts",
       .field = &o.restarts,
       .meaning = "Initialisations to begin with; the better half goes on after a few epochs, until one is left",
       .low = 1,
       .high = 64},
      {.name = "epochs",
       .field = &o.epochs,
       .meaning = "Passes over the samples in training; 0: chosen by their number",
       .high = 1e6},
      {.name = "preset",
       .field = choice_of(o.preset, {"none", "paper-2d", "paper-3d", "paper-hdd"}),
       .meaning = "Networks, tests and search as the paper describes them for one of its experiments; options given "
                  "beside it win"},
  };
}

}  // namespace macmi
