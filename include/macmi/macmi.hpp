#pragma once
/// The one include.
///
///   #include <macmi/macmi.hpp>
///   #include <cstdio>
///   #include <vector>
///
///   int main() {
///     std::vector<double> z = …, x = …, y = …;          // n samples each
///     double nats = macmi::cmi(x, y, z);                // I(x; y | z)
///     std::printf("%.3f nats\n", nats);
///     macmi::EstimateOptions options;
///     options.k = 0.05;                                 // 5% of the samples
///     std::vector<double> images = …;                   // n rows of 64 numbers
///     auto e = macmi::estimate_cmi(macmi::Variable::rows(images, 64), y, {}, options);
///     std::printf("%.3f nats from %zu samples, %s\n", e.value, e.n, e.ties_reason.c_str());
///   }
#include "macmi/ci_test.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/memory_table.hpp"
#include "macmi/options.hpp"
#include "macmi/variable.hpp"
#include "macmi/version.hpp"
