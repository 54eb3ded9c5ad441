#pragma once

namespace macmi::base {

/// exp, log and cos from additions, multiplications and divisions alone, so that they have the same bits on every
/// machine: the C library's differ between versions and between CPUs with and without fused multiply-add. exp and log
/// are within a few units in the last place of a double, cos within 1e-13.
double exact_exp(double x);
/// For x > 0.
double exact_log(double x);
/// For |x| up to a few turns.
double exact_cos(double x);

}  // namespace macmi::base
