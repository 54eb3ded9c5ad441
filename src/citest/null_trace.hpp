#pragma once
#include <cstddef>
#include <string>

#include "citest/null_distribution.hpp"
#include "macmi/ci_test.hpp"

namespace macmi {

/// Why to stop at the present look, or nothing (stopping.hpp).
std::string reason_to_stop(const TestOptions& options, const NullDistribution& null);

/// Fills in what the null distribution says, from `scales` (whose k and statistic are there) to the p-value.
void judge(const NullDistribution& null, CiResult& result);

/// The looks of an earlier test from which one under these options goes on; 0: it has to start afresh.
std::size_t looks_to_restore(const NullTrace& earlier, const TestOptions& options);

}  // namespace macmi
