#pragma once
#include <functional>
#include <optional>
#include <string>

#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The numeric and categorical columns of z from which on remainders are tested. Samples near each other in all columns
/// become rare as columns are added, so that local permutation fails (Runge 2018, section 4) and neighbourhoods lose
/// power: from three columns on remainders see more (docs/benchmarks/conditioning.md).
inline constexpr std::size_t many_columns = 3;

/// Marks a test as undecidable, with a note, where z leaves next to nothing of the variance of x or of y (shares).
void note_what_is_left(double of_x, double of_y, CiResult& result);

/// True where test_remainders() answers: z has many columns, and the test is the automatic one on samples as they are.
bool asks_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                     const TestContext& context);

using InnerTest = std::function<CiResult(const Variable& x, const Variable& y, const Variable& z, const TestOptions&,
                                         const TestContext&)>;

/// x and y independent given many columns z, asked of what z leaves of them.
///
/// A regression of x on z and one of y leave their remainders. Two looks are taken, and p is twice the smaller of
/// theirs:
///   Covariance. Do the remainders vary together, everywhere or where a column of z is large (WeightedCovariance)?
///      Right where the regressions are, whatever z does to the spread of x and y. Needs no permutation.
///   Dependence of any kind. Two null hypotheses follow from independence given z, each under its own assumption, and
///      the look's p is the larger of theirs, so that it is right where either holds:
///      1. The remainders are independent, where all that z does to one of them is to move it. Their ranks are compared
///         with nothing given; the null distribution is the same for all x (SharedNull).
///      2. The remainders are independent given the fitted values, where these are all that z says about x, or all that
///         it says about y: two classes depend on z through a probability alone. Two to four columns are given in the
///         place of many, so that neighbourhoods and local permutations mean something again. Asked only where 1 finds
///         something at alpha, or where x or y is a block or has three or more classes.
///
/// Cost: a regression on a few dozen terms and one statistic for most x of a sweep.
CiResult test_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                         const TestContext& context, const InnerTest& inner);

/// The first look alone, where z has fewer columns; nothing where it cannot be taken.
std::optional<CiResult> look_at_covariance(const Variable& x, const Variable& y, const Variable& z,
                                           const TestOptions& options, const TestContext& context);

/// A dependence that it finds beyond doubt needs no neighbourhoods under `fast`.
bool covariance_decides(double p_value, const TestOptions& options);

/// True where a test judged by `judged_by` (CiResult) would come out the same under these options.
bool judged_alike(const std::string& judged_by, const TestOptions& options);

}  // namespace macmi::citest
