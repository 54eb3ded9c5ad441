#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "macmi/report.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"

namespace macmi {

struct TestedSamples;

/// Other processes that make tests.
struct TestTeam {
  std::size_t size = 1;  ///< tests at a time
  /// The test on all processes.
  std::function<std::unique_ptr<TargetCiTest>(const SelectionTest& test)> spread;
  /// Adds what the processes did to the timing, after the search.
  std::function<void(SelectionTiming& timing)> account = {};
};

/// Ways to follow, to stop and to spread a selection.
struct SelectionHooks {
  SearchHooks search = {};
  MapsHooks maps = {};                   ///< where its folder is empty, a run's is used
  std::function<bool()> cancelled = {};  ///< asked many times within a long test, from any thread; true: Cancelled
  const TestTeam* team = nullptr;        ///< nothing: this process alone
};

/// The way of a selection, from a data set to its result: options are resolved and checked, feature maps learned where
/// they are wanted, the test made and searched with, subsamples searched, the evidence gathered, and the run finished.
/// The program, Python, the experiments and select_features all go this way.
class SelectionPipeline {
 public:
  /// Refuses, with InputError, what cannot work, before anything is kept or learned. The data set must outlive it.
  /// `inputs.data` is recorded in the result and the run; the data is not read again.
  SelectionPipeline(const Dataset& data, const SelectionInputs& inputs);
  SelectionPipeline(const Dataset& data, const SelectOptions& options)
      : SelectionPipeline(data, SelectionInputs{{}, options}) {}

  /// The subject of a run that keeps this selection.
  RunSubject subject() const;
  /// Finished tests, searches on subsamples and checkpoints of trainings go into the run, which must outlive the
  /// pipeline; what it has is not made again. select() ends with Run::finish.
  void keep_in(Run& run) { run_ = &run; }
  /// Takes maps that were learned before on this data set, which must outlive the pipeline, instead of learning any.
  void use(const LearnedMaps& maps) { maps_ = &maps; }
  /// `command` gives this result again: the result tells it to people.
  void set_command(std::string command) { timing_.command = std::move(command); }

  /// Makes the selection. Throws InputError, Cancelled. Once.
  Selection select(const SelectionHooks& hooks = {});

  /// The test that this process makes; there from the beginning of the search on.
  const TargetCiTest& local_test() const { return *test_; }
  const SelectionTiming& timing() const { return timing_; }
  double seconds_learning() const { return seconds_learning_; }  ///< maps; the search is in timing()

 private:
  void learn(const SelectionHooks& hooks);
  Selection search(const SelectionHooks& hooks);
  void measure(Selection& selection, const TestedSamples& samples, const SelectOptions& options,
               const SelectionHooks& hooks);
  void record_effort(const SelectionHooks& hooks);

  const Dataset& data_;
  SelectionInputs inputs_;  ///< as given
  Run* run_ = nullptr;
  std::optional<LearnedMaps> learned_;
  const LearnedMaps* maps_ = nullptr;
  std::unique_ptr<SelectionTest> test_;
  SelectionTiming timing_;
  double seconds_learning_ = 0;
};

}  // namespace macmi
