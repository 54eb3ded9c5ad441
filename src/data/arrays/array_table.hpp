#pragma once
#include <memory>
#include <vector>

#include "data/files.hpp"
#include "data/table.hpp"

namespace macmi::data {

/// NumPy arrays side by side, one sample per index of the first axis. A single .npy has columns c0, c1, … (2-D) or
/// series f0, f1, … (3-D: samples × features × steps); with several, and in a .npz, the name of the array takes the
/// place of c and f: y, x_0, x_1, …. The fields of a structured array keep their names.
std::unique_ptr<TableReader> open_arrays(const std::vector<DataFile>& files);

}  // namespace macmi::data
