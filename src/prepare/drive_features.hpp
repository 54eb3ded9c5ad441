#pragma once
#include <string>
#include <vector>

#include "macmi/prepare.hpp"

namespace macmi::prepare {

/// The part of a SMART column that a feature is.
enum class RawPart {
  whole,
  high_bits,  ///< the top 16 of 48 bits: how many seeks failed, in attribute 7
  low_bits,   ///< the low 32 bits: how many seeks there were
};

/// A feature of a drive and the column of the daily files it is taken from.
struct DriveFeature {
  std::string name;
  std::string column;  ///< smart_187_raw
  RawPart part = RawPart::whole;
};

/// The 36 features of the paper's supplement, in the order of its table.
std::vector<DriveFeature> paper_features();

/// The features wanted of files that have these columns between them.
std::vector<DriveFeature> drive_features(DriveAttributes attributes, const std::vector<std::string>& columns);

/// The feature as SQL over a number; NULL stays NULL.
std::string part_sql(const DriveFeature& feature, const std::string& number);

}  // namespace macmi::prepare
