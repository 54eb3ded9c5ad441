#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "macmi/select.hpp"
#include "maps/surrogate_scores.hpp"

namespace macmi {

/// The samples that tests see: of a data set as it is, or through learned maps. A view of the data set.
struct TestedSamples {
  const Dataset& data;
  bool mapped = false;
  std::vector<std::int32_t> folds = {};                ///< of each sample, where maps were learned in folds
  std::shared_ptr<const SurrogateScores> scores = {};  ///< where tests ask the surrogate, too

  /// Some of the samples; `part` is the data set with these rows.
  TestedSamples on(const Dataset& part, std::span<const std::size_t> rows) const;
};

}  // namespace macmi

namespace macmi::select {

class DatasetTest;

TestedSamples samples_of(const Dataset& data, std::vector<std::int32_t> folds = {});
TestedSamples samples_of(const LearnedMaps& maps, const SelectOptions& options);

/// The options as the tests of these samples use them: resolved, and what is left open settled for learned maps.
/// Applying it twice changes nothing.
SelectOptions resolved_for(const TestedSamples& samples, const SelectOptions& options);

/// The test on the samples with options that were resolved for them.
std::unique_ptr<SelectionTest> make_resolved_test(const TestedSamples& samples, const SelectOptions& resolved,
                                                  const std::function<bool()>& cancelled);

/// The test that SelectionTest::packed() describes, in another process: the same bits, given the same options. The
/// bytes must begin at a multiple of 8 and outlive it; they are not copied.
std::unique_ptr<SelectionTest> make_packed_test(std::string_view packed, const SelectOptions& options,
                                                const std::function<bool()>& cancelled = {});

/// The tests of features with each other (DatasetTest::between), of a data set whose target plays no part. `questions`:
/// how many p-values are compared together.
std::unique_ptr<DatasetTest> make_pair_test(const Dataset& data, const SelectOptions& resolved, std::size_t questions,
                                            const std::function<bool()>& cancelled);
/// The same in another process, as make_packed_test.
std::unique_ptr<DatasetTest> make_packed_pair_test(std::string_view packed, const SelectOptions& resolved,
                                                   std::size_t questions, const std::function<bool()>& cancelled);

/// Throws InputError where there are too few samples to test anything.
void expect_samples(const Dataset& data);
/// What a result says of the data: health_lines, names in order, and a warning where the samples are few.
std::vector<std::string> health_of(const Dataset& data);
/// Throws InputError where the data set has no target or too few samples to test anything.
void expect_testable(const Dataset& data);

}  // namespace macmi::select
