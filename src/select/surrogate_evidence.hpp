#pragma once
#include "macmi/maps.hpp"
#include "macmi/select.hpp"

namespace macmi::select {

/// Adds what the maps know: beside the tests given nothing the surrogate's gain, a remark
/// where the two disagree (Theorems 1 and 2 bound what the maps lose by the surrogate's likelihood), and which maps
/// found nothing.
void add_maps(Selection& selection, const LearnedMaps& maps, const Dataset& data);

}  // namespace macmi::select
