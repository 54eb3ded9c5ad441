// macmi train: learn feature maps and keep them as a model file.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/number_of.hpp"
#include "cluster/rank_training.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/maps.hpp"
#include "team.hpp"
#include "training_hooks.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  DataOptions data;
  MapsOptions maps;
  std::string out;
  Output output;
};

void print(const LearnedMaps& learned, const Arguments& a) {
  if (a.output.json) {
    nlohmann::ordered_json json = {{"model", a.out},
                                   {"validation_gain", learned.validation_gain()},
                                   {"training_gain", learned.training_gain()},
                                   {"features", nlohmann::ordered_json::array()},
                                   {"remarks", learned.notes()}};
    for (const MapSummary& m : learned.features())
      json["features"].push_back({{"name", m.name},
                                  {"encoder", m.encoder},
                                  {"dimensions", m.dimensions},
                                  {"divergence", m.divergence},
                                  {"found_nothing", m.found_nothing}});
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print(
      "{}: maps of {}; on samples kept from training the surrogate gains {:.3f} nats per sample over a "
      "constant\n",
      a.out, base::number_of(learned.features().size(), "feature"), learned.validation_gain());
  for (const MapSummary& m : learned.features())
    fmt::print("  {}: {}, {}{}\n", m.name, m.encoder, base::number_of(m.dimensions, "number"),
               m.found_nothing            ? ", found nothing"
               : std::isnan(m.divergence) ? ""
                                          : fmt::format(", divergence {:.3g} nats", m.divergence));
}

/// `ranks`: rank 0 of them is this process; nothing: it is alone.
void run(Arguments& a, cluster::Ranks* ranks) {
  ProgressLine line(!a.output.quiet);
  const std::string checkpoints = a.out + ".checkpoint";
  Team team(ranks, [&](const std::string& why) {
    line.clear();
    fmt::print(stderr, "macmi: {}; the same command goes on from {}\n", why, checkpoints);
  });
  if (a.data.target.empty()) throw InputError("--target: name the column to explain");
  a.data.seed = a.maps.seed;
  a.data.threads = a.maps.threads;
  if (const auto folder = std::filesystem::absolute(a.out).parent_path(); !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("--out {}: there is no folder {}", a.out, folder.string()));
  a.maps.folds = 1;  // a model file holds one model
  const Dataset data = read_dataset(a.data);
  team.run([&] {
    MapsHooks hooks = training_hooks(line, a.output.quiet, checkpoints);
    hooks.team = team.training();
    const LearnedMaps learned = learn_maps(data, a.maps, hooks);
    line.clear();
    learned.save(a.out);
    print(learned, a);
    std::error_code none;
    std::filesystem::remove_all(checkpoints, none);
  });
}

}  // namespace

Verb train_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });  // one --seed for all
  options.push_back(
      {.name = "out", .field = &a->out, .meaning = "Model file to write", .value_name = "MODEL", .required = true});
  for (Option& option : declare(a->maps))
    if (option.name != "folds") options.push_back(std::move(option));
  options.push_back({.name = "delta",
                     .field = &a->maps.delta,
                     .meaning = "Largest conditioning set of the search that the maps are for (Δ)"});
  options.push_back({.name = "seed", .field = &a->maps.seed, .meaning = "Seed of the random numbers"});
  options.push_back({.name = "threads",
                     .field = &a->maps.threads,
                     .meaning = "Threads; 0 means every core. Results do not depend on it"});
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "train",
          .summary = "Learn feature maps: a few numbers per feature that tell what it knows about the target",
          .details =
              "The first step of select, kept as a file for macmi map. A training that was interrupted goes on where "
              "it was\n"
              "when the same command is given again (MODEL.checkpoint), and ends with the same bits.",
          .positional = {},
          .options = std::move(options),
          .examples = {"macmi simulate bullseye3d --n 500 --out spheres.csv && macmi train --data spheres.csv --target "
                       "y --group '^(x\\d+)_' --epochs 20 --out spheres.maps",
                       "macmi simulate bullseye2d --n 500 --out rings.csv && macmi train --data rings.csv --target y "
                       "--group '^(x\\d+)_' --epochs 20 --map-dim 2 --out rings.maps"},
          .run = [a] { run(*a, nullptr); },
          .run_on_ranks =
              lead_or_serve([a](cluster::Ranks& ranks) { run(*a, &ranks); },
                            [](cluster::Ranks& ranks) { serve_team(ranks, {.work = cluster::train_on_rank}); })};
}

}  // namespace macmi::cli
