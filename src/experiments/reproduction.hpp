#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/experiment_team.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "macmi/options.hpp"
#include "macmi/progress.hpp"
#include "macmi/select.hpp"

namespace macmi::experiments {

enum class BullseyeGraphs { both, authors, caption };

/// How an experiment of the paper is run again. 0: as the experiment chooses, less of it with `quick`.
struct ReproduceOptions {
  bool quick = false;
  std::uint64_t seeds = 0;
  std::uint64_t n = 0;
  std::uint64_t permutations = 0;
  std::uint64_t slow_statements = 0;
  BullseyeGraphs dag = BullseyeGraphs::both;
  std::vector<std::string> methods = {};
  std::uint64_t threads = 0;
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(ReproduceOptions& options);

/// A table for people and programs.
struct ResultTable {
  std::string name;   ///< of its files
  std::string title;  ///< a sentence that says what it shows
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  bool for_people = true;  ///< false: too long for the page and Markdown, a CSV file only
};

/// The outcome of an experiment.
struct Reproduction {
  std::string name;         ///< "bullseye2d"
  std::string answer;       ///< one sentence
  std::string consequence;  ///< the conclusion drawn from it
  std::vector<std::string> facts;
  std::vector<ResultTable> tables;
  std::string figures;  ///< JSON: what src/report/page/experiment.js draws
};

/// Section 5.1: estimates of I(X; Y) against noise and sample size, where the maps send the samples. Measurements that
/// `directory` holds are not made again.
Reproduction reproduce_bullseye2d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress = {}, const ExperimentTeam* team = nullptr);
/// One of its measurements, as the team is asked for it. `keep_going` is asked within long ones; false throws
/// Cancelled.
std::string measure_bullseye2d(const std::string& measurement, const std::function<bool()>& keep_going);

/// Section 5.2: how well tests tell conditional independence from dependence, and the blankets found with them.
Reproduction reproduce_bullseye3d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress = {}, const ExperimentTeam* team = nullptr);
/// The options of test number `number` of the experiment.
SelectOptions bullseye3d_test_options(const ReproduceOptions& options, std::uint64_t number);

/// NAME.html, NAME.md and one CSV file per table, in the directory. Throws InputError where it cannot be written.
std::vector<std::string> write_reproduction(const Reproduction& reproduction, const std::string& directory);

/// The page's text of a table, and both files' texts, for tests.
std::string csv_text(const ResultTable& table);
std::string markdown_text(const Reproduction& reproduction);

}  // namespace macmi::experiments
