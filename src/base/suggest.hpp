#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace macmi::base {

/// "; did you mean 'target'?" with the nearest of `known`, or nothing when none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// did_you_mean, or where no name is near "; there are: a, b, …" with the eight nearest.
std::string name_hint(const std::string& word, const std::vector<std::string>& known);

/// So many of `known`, nearest first; equally near ones in their order.
std::vector<std::string> nearest_names(const std::string& word, const std::vector<std::string>& known,
                                       std::size_t count);

}  // namespace macmi::base
