#include "prepare/drive_features.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace macmi::prepare {
namespace {

struct Attribute {
  int number;
  const char* name;
};

constexpr Attribute raw_and_normalized[] = {{1, "read_error_rate"},
                                            {194, "temperature"},
                                            {190, "airflow_temperature"},
                                            {5, "reallocated_sectors"},
                                            {183, "sata_downshift_errors"},
                                            {184, "end_to_end_errors"},
                                            {193, "load_cycles"},
                                            {188, "command_timeouts"},
                                            {197, "current_pending_sectors"},
                                            {187, "reported_uncorrectable_errors"},
                                            {9, "power_on_hours"},
                                            {4, "start_stop_count"},
                                            {189, "high_fly_writes"}};
constexpr Attribute normalized_only[] = {
    {198, "offline_uncorrectable_sectors"}, {199, "crc_errors"}, {3, "spin_up_time"}};
constexpr Attribute raw_only[] = {{192, "power_off_retracts"},
                                  {12, "power_cycles"},
                                  {240, "head_flying_hours"},
                                  {241, "logical_blocks_written"},
                                  {242, "logical_blocks_read"}};
constexpr const char* seek_column = "smart_7_raw";

bool is_smart(const std::string& column) {
  return column.starts_with("smart_") && (column.ends_with("_raw") || column.ends_with("_normalized"));
}

void add_seeks(std::vector<DriveFeature>& features) {
  features.push_back({"seek_errors", seek_column, RawPart::high_bits});
  features.push_back({"seek_count", seek_column, RawPart::low_bits});
}

}  // namespace

std::vector<DriveFeature> paper_features() {
  std::vector<DriveFeature> features;
  const auto add = [&](const Attribute& a, const char* form, const char* suffix) {
    features.push_back({fmt::format("{}{}", a.name, suffix), fmt::format("smart_{}_{}", a.number, form)});
  };
  for (const Attribute& a : raw_and_normalized) {
    add(a, "raw", "_raw");
    add(a, "normalized", "_normalized");
  }
  for (const Attribute& a : normalized_only) add(a, "normalized", "");
  add_seeks(features);
  for (const Attribute& a : raw_only) add(a, "raw", "");
  return features;
}

std::vector<DriveFeature> drive_features(DriveAttributes attributes, const std::vector<std::string>& columns) {
  if (attributes == DriveAttributes::paper) return paper_features();
  std::vector<DriveFeature> features;
  for (const std::string& column : columns) {
    if (column == seek_column)
      add_seeks(features);
    else if (is_smart(column))
      features.push_back({column, column});
  }
  return features;
}

std::string part_sql(const DriveFeature& feature, const std::string& number) {
  switch (feature.part) {
    case RawPart::high_bits:
      return fmt::format("CAST(CAST({} AS UBIGINT) >> 32 AS DOUBLE)", number);
    case RawPart::low_bits:
      return fmt::format("CAST(CAST({} AS UBIGINT) & 4294967295 AS DOUBLE)", number);
    case RawPart::whole:
      break;
  }
  return number;
}

}  // namespace macmi::prepare
