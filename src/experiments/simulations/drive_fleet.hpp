#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"

namespace macmi::experiments {

struct FleetOptions {
  std::size_t drives = 10000;
  std::size_t days = 90;
  std::size_t features = 36;  ///< fewer: causes first; more: independent copies without causes, named with a number
  std::uint64_t seed = 0;
};

/// A simulated fleet of drives with known causes of failure.
///
/// Seven trends u, standard normal, begin in the second half of the window and multiply the daily rates of seven series
/// (temperature: add to them) that differ far more between drives than trends can change them. A drive fails when the
/// weighted sum of its trends, with some noise, is in the upper quarter. Twenty-nine other series follow the causes
/// (normalized forms, near and exact duplicates, counters that count parts of the same events), the workload, which the
/// causes share too, or nothing; two never change. Given the causes no other series tells anything about failure.
struct DriveFleet {
  std::vector<std::string> names;           ///< of the features
  std::vector<std::vector<double>> series;  ///< per feature [drive · days + day]
  std::vector<int> fails;                   ///< per drive
  std::size_t drives = 0, days = 0;
  std::vector<std::string> causes;
};

/// The first drives of a larger fleet of the same seed are those of a smaller one.
DriveFleet simulate_fleet(const FleetOptions& options);

/// The feature whose values are the same in every fleet and which comes first by name: two such are one to any method.
std::string representative(const std::string& feature);

/// Precision and recall of a selection against the causes, exact duplicates counting as one, combined (F1).
double cause_f1(const std::vector<std::string>& selected, const std::vector<std::string>& causes);

/// The fleet as data read from a file would be: series, target `failure` of two classes, health.
Dataset fleet_dataset(const DriveFleet& fleet);

/// Long format, one row per drive and day: serial_number, date, failure, features. `path` ending in .parquet: Parquet.
void write_fleet(const DriveFleet& fleet, const std::string& path);

}  // namespace macmi::experiments
