#pragma once
#include <functional>
#include <string>

#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The numeric and categorical columns of z from which on samples near each other in all of them are too rare: local
/// permutation fails (Runge 2018, section 4) and neighbourhoods lose power (docs/benchmarks/conditioning.md).
inline constexpr std::size_t many_columns = 3;

/// Marks a test as undecidable, with a note, where z leaves next to nothing of the variance of x or of y (shares).
void note_what_is_left(double of_x, double of_y, CiResult& result);

/// True where test_remainders() answers: the test is the automatic one on samples as they are, and z has many columns,
/// or any under TestOptions::remainders_of_few.
bool asks_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                     const TestContext& context);

using InnerTest = std::function<CiResult(const Variable& x, const Variable& y, const Variable& z, const TestOptions&,
                                         const TestContext&)>;

/// x and y independent given z, asked of what z leaves of them.
///
/// A regression of x on z and one of y leave their remainders. Two looks are taken, and p is the smaller of theirs,
/// each over its share of the level:
///   Covariance. Do the remainders vary together, as they are, in curves or where a column of z is large
///      (WeightedCovariance)? Right where the regressions are, whatever z does to the spread of x and y. Needs no
///      permutation.
///   Dependence of any kind. Two null hypotheses follow from independence given z, each under its own assumption, and
///      the look's p is the larger of theirs, so that it is right where either holds:
///      1. The remainders are independent, where all that z does to one of them is to move it. Their ranks are compared
///         with nothing given; the null distribution is the same for all x (SharedNull).
///      2. Given one column, x and y are independent given z, by neighbourhoods. Given more, the remainders are
///      independent given the fitted values, where these are all that z says about x, or all that it
///         says about y: two classes depend on z through a probability alone. Two to four columns are given in the
///         place of many, so that neighbourhoods and local permutations mean something again. Asked only where 1 finds
///         something at alpha that the covariance does not, or where x or y is a block or has three or more classes.
///
/// Cost: a regression on a few dozen terms and one statistic for most x of a sweep.
CiResult test_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                         const TestContext& context, const InnerTest& inner);

/// The options that an outcome depends on. Where all permutations are drawn, alpha decides only whether the local null
/// hypothesis is asked.
std::string rules_of(const TestOptions& options);

/// True where a test judged by `judged_by` (CiResult) would come out the same under these options.
bool judged_alike(const std::string& judged_by, const TestOptions& options);

}  // namespace macmi::citest
