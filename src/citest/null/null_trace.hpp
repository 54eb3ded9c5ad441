#pragma once
#include <cstddef>
#include <string>

#include "citest/null/null_distribution.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// Why to stop at the present look, or nothing (stopping.hpp). `counts`: the statistic is that of a contingency table.
std::string reason_to_stop(const TestOptions& options, const NullDistribution& null, bool counts);

/// Fills in what the null distribution says, from `scales` (whose k and statistic are there) to the p-value.
void judge(const NullDistribution& null, CiResult& result);

/// Deviations of the first 64 permuted correlations beyond which the observed one decides by itself under
/// StopRule::fast, where no permuted one is out there. Whatever their distribution, at most 1/25 of it can be.
inline constexpr double clear_score = 5;

/// Can the residual correlation alone decide a test under these options?
bool correlation_may_decide(const TestOptions& options, bool conditioned);
/// Does it, after the first look?
bool correlation_decides(const TestOptions& options, const NullDistribution& correlation);
/// Fills in a result that rests on the correlation, or a trace of so many directions, alone.
void judge_by_correlation(const NullDistribution& correlation, std::size_t directions, CiResult& result);

/// The looks of an earlier test from which one under these options goes on; 0: it has to start afresh.
/// `whole_blocks`: only looks after full blocks of permutations can be gone on from (folds are paired within blocks).
std::size_t looks_to_restore(const NullTrace& earlier, const TestOptions& options, bool whole_blocks);

}  // namespace macmi::citest
