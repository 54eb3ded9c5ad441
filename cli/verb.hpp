#pragma once
#include <functional>
#include <string>
#include <vector>

#include "macmi/options.hpp"

namespace macmi::cluster {
class Ranks;
}

namespace macmi::cli {

/// One word of the command line: `macmi NAME …`. Everything the user can say to it is in `options` (and `positional`),
/// from which parsing, --help and docs/options.md follow.
struct Verb {
  std::string name;
  std::string summary;             ///< one line, for `macmi --help`
  std::string details;             ///< what a newcomer should know, for `macmi NAME --help`
  std::vector<Option> positional;  ///< in order
  std::vector<Option> options;
  std::vector<std::string> examples;  ///< at least two lines that work when pasted
  std::function<void()> run;          ///< throws macmi::Error
  /// The same on several ranks, called by each of them. Without it rank 0 runs alone and the others have nothing to do.
  std::function<void(cluster::Ranks&)> run_on_ranks = {};
};

Verb select_verb();
Verb graph_verb();
Verb train_verb();
Verb map_verb();
Verb explain_verb();
Verb report_verb();
Verb evaluate_verb();
Verb runs_verb();
Verb test_verb();
Verb estimate_verb();
Verb inspect_verb();
Verb simulate_verb();
Verb reproduce_verb();
Verb prepare_verb();
Verb doctor_verb();
Verb options_verb();

/// Every verb, in the order of the flow.
std::vector<Verb> all_verbs();

/// Options of every verb that computes.
struct Output {
  bool json = false;
  bool quiet = false;
};
std::vector<Option> declare(Output& output);

}  // namespace macmi::cli
