#include "base/vector/simd.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>

#include "macmi/error.hpp"

namespace macmi::base {
namespace {

/// One bit per instruction set, the better the lower the bit.
std::vector<std::int64_t> target_bits() {
  hwy::DisableTargets(0);
  std::vector<std::int64_t> bits;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1)
    bits.push_back(rest & -rest);
  return bits;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const std::int64_t bit : target_bits()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

void limit_simd(const std::string& name) {
  std::int64_t disabled = 0;
  const std::vector<std::int64_t> bits = target_bits();
  if (!name.empty()) {
    const auto wanted =
        std::find_if(bits.begin(), bits.end(), [&](std::int64_t bit) { return name == hwy::TargetName(bit); });
    if (wanted == bits.end())
      throw InputError(fmt::format("MACMI_SIMD={}: this CPU offers {}", name, fmt::join(simd_targets(), ", ")));
    for (auto bit = bits.begin(); bit != wanted; ++bit) disabled |= *bit;
  }
  hwy::DisableTargets(disabled);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace macmi::base
