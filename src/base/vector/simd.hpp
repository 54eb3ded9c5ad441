#pragma once
#include <string>
#include <vector>

namespace macmi::base {

/// The vector instruction sets this program and CPU have in common, best first ("AVX3", "AVX2", "SSE4", …). The first
/// is used; every one gives the same bits.
std::vector<std::string> simd_targets();

/// Leaves only `name` and what is below it, for tests and for the environment variable MACMI_SIMD. Throws InputError
/// for a name that is not in simd_targets(). An empty name restores everything.
void limit_simd(const std::string& name);

}  // namespace macmi::base
