#pragma once
#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The stream of a test's permutations: keyed by its names, of the context or else of the columns.
base::StreamKey test_stream(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                            const TestContext& context, bool permute_y);

}  // namespace macmi::citest
