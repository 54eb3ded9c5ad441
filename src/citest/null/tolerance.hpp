#pragma once
#include <vector>

#include "citest/null/wide_look.hpp"

namespace macmi::citest {

/// An observed wide look with `tolerance` nats less of information. A correlation comes nearer to the mean of the
/// permuted ones, so that the information of what it differs by, -½ log(1 - d²), is less by as much. A trace comes down
/// to what as many directions with less information have.
double less_information(double observed, const std::vector<double>& permuted, double tolerance, const WideScale& wide);

}  // namespace macmi::citest
