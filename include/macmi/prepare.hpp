#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "macmi/options.hpp"
#include "macmi/progress.hpp"

namespace macmi {

/// The attributes of a drive that become features.
enum class DriveAttributes {
  paper,  ///< the 36 of the paper's supplement, by their names there
  all,    ///< every SMART column of the files, by its name there, raw 7 split into seek errors and seek count
};

/// From raw daily drive files to a data set of one window per drive (Section 5.3 of Yang et al., UAI 2020).
struct PrepareOptions {
  std::vector<std::string> input;
  std::string model = "ST4000DM000";
  std::uint64_t window = 90;
  std::uint64_t lead = 0;
  std::uint64_t gaps = 0;
  double ratio = 3;
  DriveAttributes attributes = DriveAttributes::paper;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
  std::string out;
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(PrepareOptions& options);

/// A summary of what was found and written.
struct PrepareReport {
  std::size_t files = 0, rows = 0, drives = 0;  ///< rows and drives of the model
  std::size_t duplicates = 0;                   ///< rows of a drive and day that was there before
  std::size_t blank = 0;                        ///< rows without a single SMART value
  std::size_t failures = 0, failed = 0;         ///< drives that fail; those whose window is complete: target 1
  std::size_t healthy = 0, healthy_wanted = 0;  ///< windows of drives that do not fail: target 0
  std::vector<std::string> features, absent;    ///< written; asked for and not in the files, or without a value
  std::vector<std::string> notes;               ///< sentences for the user
};

/// Streams the files through a database beside `out`, which is removed in the end; memory stays bounded whatever
/// their size. Writes `out` (.parquet, else CSV) as a whole or not at all. `on_progress` false stops with Cancelled.
/// Throws InputError.
PrepareReport prepare_backblaze(const PrepareOptions& options,
                                const std::function<bool(const Progress&)>& on_progress = {});

}  // namespace macmi
