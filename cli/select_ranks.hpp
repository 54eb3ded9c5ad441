#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "cluster/coordinator.hpp"
#include "cluster/ranks.hpp"
#include "macmi/selection_pipeline.hpp"

namespace macmi::cli {

/// A rank other than 0: makes tests with these options, and trainings, as long as it is asked to.
void serve_selection(cluster::Ranks& ranks, const SelectOptions& options);

/// Gives all ranks the samples of the test and returns the test on all of them. `number`: which of several, where a
/// command has more than one.
std::unique_ptr<TargetCiTest> spread_test(cluster::Coordinator& team, const SelectionTest& test,
                                          std::uint64_t number = 0);

/// The ranks as a selection uses them. The coordinator must outlive it.
TestTeam test_team(cluster::Coordinator& team);

/// "40 per second on 4 ranks"
std::string pace_text(const cluster::Effort& before, const cluster::Effort& now, double seconds);

}  // namespace macmi::cli
