#pragma once
#include <span>
#include <string>
#include <vector>

namespace macmi::data {

/// Writes numbers, last index fastest, as a .npy file (format 1.0, '<f8'): whole or not at all. Throws InputError.
void write_npy(const std::string& path, std::span<const double> values, const std::vector<std::size_t>& shape);

}  // namespace macmi::data
