#pragma once
#include <cstddef>

#include "citest/units/row_units.hpp"
#include "macmi/variable.hpp"

namespace macmi::citest {

/// So many samples in the order of a unit that stretches of them are nearly independent: twice the time over which the
/// products of the slower of x and y with themselves add up, 1 + 2 Σ_k ρ(k)², up to the first k from which on chance
/// explains ρ. At most an eighth of the longest unit.
std::size_t stretch_of(const Variable& x, const Variable& y, const RowUnits& units);

}  // namespace macmi::citest
