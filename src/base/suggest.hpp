#pragma once
#include <string>
#include <vector>

namespace macmi::base {

/// "; did you mean 'target'?" with the nearest of `known`, or nothing when none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace macmi::base
