#pragma once
#include <string>
#include <vector>

#include "macmi/evaluate.hpp"
#include "macmi/progress.hpp"
#include "macmi/report.hpp"
#include "macmi/select.hpp"

namespace macmi::experiments {

/// Section 5.3 of Yang et al. (UAI 2020): which attributes predict disk failure.
struct HddOptions {
  std::string data;    ///< of macmi prepare backblaze, or the same columns; empty: a simulated fleet
  bool quick = false;  ///< a small fleet and short trainings, to see everything work
  bool paper =
      false;  ///< the paper's setting (--preset paper-hdd) with the co-parent step, instead of the recommended one
  std::uint64_t drives = 10000;  ///< of a simulated fleet
  bool no_evaluation = false;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
};
std::vector<Option> declare(HddOptions& options);

/// Seconds of the stages, by the clock.
struct HddSeconds {
  double data = 0, maps = 0, search = 0, evaluation = 0;
};

struct HddReproduction {
  Selection selection;
  SelectionTiming timing;
  std::vector<std::string> causes;  ///< of a simulated fleet
  double f1 = 0;                    ///< of the selection against them
  std::optional<Evaluation> evaluation;
  HddSeconds seconds;
};

/// How the experiment selects.
SelectOptions hdd_select_options(const HddOptions& options);

/// Keeps finished work in the directory; the same experiment goes on from it. Throws InputError, Cancelled.
HddReproduction reproduce_hdd(const std::string& directory, const HddOptions& options,
                              const ProgressCallback& on_progress = {});

/// The result of `select` with the evaluation, the stages' seconds under `timing`, and for a fleet causes and F1.
std::string hdd_json(const HddReproduction& result);
/// The selected attributes beside the paper's seven.
std::string hdd_text(const HddReproduction& result);
/// Writes result.json, result.evaluation.json, roc.csv and report.html into the directory; returns their paths.
std::vector<std::string> write_hdd(const HddReproduction& result, const std::string& directory);

}  // namespace macmi::experiments
