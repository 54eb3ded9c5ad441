// Genuine files, where the environment variable MACMI_DATA says they are. The values were looked up in the files by
// eye.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "macmi/dataset.hpp"

namespace macmi::data {
namespace {

#define MACMI_NEEDS_DATA() \
  if (std::getenv("MACMI_DATA") == nullptr) GTEST_SKIP() << "skipped: MACMI_DATA not set"

Dataset read(const std::string& path, const std::vector<std::string>& target, DataOptions options = {}) {
  options.data = {std::string(std::getenv("MACMI_DATA")) + "/" + path};
  options.target = target;
  return read_dataset(options);
}

double last(const Dataset& data, const std::string& name) {
  return data.feature(name).columns[0].values.back();
}
std::string last_label(const Dataset& data, const std::string& name) {
  const DataColumn& column = data.feature(name).columns[0];
  return column.labels[column.codes.back()];
}

TEST(RealFiles, DriveFilesOfEveryYear) {
  MACMI_NEEDS_DATA();
  struct Expected {
    const char* file;
    std::size_t rows, columns;
    const char* last_serial;
    double last_hours;  // smart_9_raw
    std::size_t hours_missing;
  };
  const Expected files[] = {{"2013-04-10", 21195, 85, "5XW0VRF3", 1948, 0},
                            {"2013-05-19", 22635, 85, "Z1F11BHF", 3225, 0},
                            {"failures_rows_2020_Q2", 314, 132, "ZJV3BTAZ", 6814, 1},
                            {"failures_rows_2020_Q3", 368, 132, "ZHZ4VSGY", 6840, 0},
                            {"failures_rows_2021_Q3", 580, 170, "ZA180ZZE", 34512, 5},
                            {"failures_rows_2022_Q1", 664, 180, "ZA13YNZL", 45496, 10},
                            {"failures_rows_2023_Q4", 1057, 194, "1270A17RFVKG", 3811, 5},
                            {"2024_Q1_ST12000NM0008_failed_drives_daily", 6325, 193, "ZHZ3P3GX", 37098, 1},
                            {"failures_rows_2025_Q1", 1067, 198, "1RHB1JPG", 7310, 7},
                            {"failures_rows_2025_Q2", 1061, 198, "21J1TJ7N", 728, 8}};
  for (const Expected& file : files) {
    SCOPED_TRACE(file.file);
    const Dataset data = read(std::string("backblaze/formats/") + file.file + ".csv.gz", {});
    EXPECT_EQ(data.samples(), file.rows);
    EXPECT_EQ(data.features.size(), file.columns);
    EXPECT_EQ(last_label(data, "serial_number"), file.last_serial);
    EXPECT_EQ(last(data, "smart_9_raw"), file.last_hours);
    EXPECT_EQ(data.feature("smart_9_raw").incomplete(), file.hours_missing);
  }
}

TEST(RealFiles, AMisalignedHeaderIsNotReadSilently) {
  MACMI_NEEDS_DATA();
  const Dataset data = read("backblaze/formats/2018_ST4000DM000_failures_MISALIGNED_header.csv.gz", {});
  EXPECT_TRUE(std::any_of(data.health.remarks.begin(), data.health.remarks.end(), [](const std::string& remark) {
    return remark.starts_with("from row 179 on") && remark.find("does the header still fit") != std::string::npos;
  }));
}

TEST(RealFiles, DriveHistoriesBecomeSeries) {
  MACMI_NEEDS_DATA();
  DataOptions options;
  options.id = "serial_number";
  options.time = "date";
  const Dataset data = read("backblaze/windows90_small.csv.gz", {"failure"}, options);
  EXPECT_EQ(data.samples(), 3058u);
  EXPECT_EQ(data.health.classes[1].count, 278u);
  EXPECT_EQ(data.feature("smart_9_raw").steps, 90u);
  const auto drive =
      static_cast<std::size_t>(std::find(data.units.begin(), data.units.end(), "Z304JMCM") - data.units.begin());
  const Feature& pending = data.feature("smart_197_raw");
  EXPECT_EQ(pending.columns.front().values[drive], 0);
  EXPECT_EQ(pending.columns.back().values[drive], 96);
  EXPECT_EQ(data.feature("smart_9_raw").columns.front().values[drive], 22059);
  EXPECT_EQ(data.feature("smart_9_raw").columns.back().values[drive], 24198);
  EXPECT_EQ(data.target.columns[0].values[drive], 1);
  EXPECT_EQ(data.health.duplicates, (std::vector<std::vector<std::string>>{{"smart_197_raw", "smart_198_raw"}}));
}

TEST(RealFiles, DaysWithDatesWrittenInTwoWaysJoin) {
  MACMI_NEEDS_DATA();
  DataOptions options;
  options.id = "serial_number";
  options.time = "date";
  options.window = 2;
  options.features = {"smart_9_raw", "smart_242_raw"};
  const Dataset data = read("backblaze/raw_day_2018-01-0?.csv.gz", {"failure"}, options);
  const auto drive =
      static_cast<std::size_t>(std::find(data.units.begin(), data.units.end(), "Z305B2QN") - data.units.begin());
  EXPECT_EQ(data.feature("smart_9_raw").columns[0].values[drive], 17952);  // 2018/1/1
  EXPECT_EQ(data.feature("smart_9_raw").columns[1].values[drive], 17975);  // 2018-01-02
  EXPECT_EQ(data.feature("smart_242_raw").columns[1].values[drive], 53061918488);
}

TEST(RealFiles, Networks) {
  MACMI_NEEDS_DATA();
  const Dataset lucas = read("networks/lucas.csv", {"Cancer_Pulmon"});
  EXPECT_EQ(lucas.samples(), 2000u);
  EXPECT_EQ(lucas.features.size(), 11u);
  EXPECT_EQ(lucas.classes(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(lucas.feature("Toser").columns[0].values[1], 1);

  const Dataset mixed = read("networks/clgaussian.test.csv.gz", {"A"});
  EXPECT_EQ(mixed.samples(), 5000u);
  for (const char* name : {"B", "C", "F"}) EXPECT_EQ(mixed.feature(name).type(), ColumnType::categorical) << name;
  for (const char* name : {"D", "E", "G", "H"}) EXPECT_EQ(mixed.feature(name).type(), ColumnType::continuous) << name;
  EXPECT_EQ(mixed.feature("D").columns[0].values[0], 6.460721274820995);
  EXPECT_EQ(mixed.feature("C").columns[0].labels, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(last(mixed, "H"), 2.2225264787107086);
  EXPECT_EQ(mixed.classes()[mixed.target.columns[0].codes[0]], "a");
}

}  // namespace
}  // namespace macmi::data
