#pragma once
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// True where samples belong together, so that test_units() answers.
bool asks_units(const TestContext& context);

/// x and y independent given z, of samples that belong together or follow each other in time.
///
/// The null hypothesis: what z leaves of x is one process over units (or over time), what z leaves of y another, and
/// the two are independent; each unit's samples may resemble each other as much as they like. Whole units are
/// exchanged, or shifted (UnitExchange), and everything is compared with that one null distribution: no closed form,
/// none shared. Looks: clustered covariances (ClusteredCovariance) of what z leaves; with nothing given, neighbourhoods
/// too.
CiResult test_units(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                    const TestContext& context);

}  // namespace macmi::citest
