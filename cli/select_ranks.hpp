#pragma once
#include <memory>
#include <string>

#include "cluster/coordinator.hpp"
#include "cluster/ranks.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"
#include "report/selection.hpp"
#include "select/packed_test.hpp"

namespace macmi::cli {

/// A rank other than 0: makes tests with these options, and trainings, as long as it is asked to.
void serve_selection(Ranks& ranks, const SelectOptions& options);

/// The test on all ranks, whose memory gets its samples. `number`: which of several, where a command has more than one.
std::unique_ptr<TargetCiTest> spread_test(Coordinator& team, const TargetCiTest& test, PackedFrom from,
                                          std::uint64_t number = 0);

/// Options for a search whose tests run on other ranks: enough threads to keep these busy; searches on subsamples stay
/// on this machine, with the threads it was given.
SelectOptions on_team(SelectOptions options, const Coordinator& team);

/// "40 per second on 4 ranks"
std::string pace_text(const Effort& before, const Effort& now, double seconds);

}  // namespace macmi::cli
