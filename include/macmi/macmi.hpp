#pragma once
/// The one include: estimates, tests, data sets, selections, runs, results and their report.
///
///   #include <macmi/macmi.hpp>
///   #include <cstdio>
///   #include <vector>
///
///   int main() {
///     std::vector<double> z = …, x = …, y = …;          // n samples each
///     double nats = macmi::cmi(x, y, z);                // I(x; y | z)
///     macmi::CiResult test = macmi::ci_test(x, y, z);   // independent given z?
///     std::printf("%.3f nats, p = %.3f\n", nats, test.p_value);
///
///     macmi::DataOptions read;
///     read.data = {"measurements.csv"};
///     read.target = {"failure"};
///     macmi::Dataset data = macmi::read_dataset(read);
///     macmi::Selection found = macmi::select_features(data);
///     std::printf("%s", macmi::selection_text(found).c_str());
///   }
#include "macmi/blanket.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/evaluate.hpp"
#include "macmi/graph.hpp"
#include "macmi/maps.hpp"
#include "macmi/memory_table.hpp"
#include "macmi/options.hpp"
#include "macmi/progress.hpp"
#include "macmi/report.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"
#include "macmi/selection_pipeline.hpp"
#include "macmi/stability.hpp"
#include "macmi/variable.hpp"
#include "macmi/version.hpp"
