#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "macmi/error.hpp"
#include "macmi/memory_table.hpp"

namespace macmi::data {
namespace {

/// The same six samples as text of a file and in memory, the numbers in rows of two.
struct Both {
  std::string file = "a,b,word,y\n1.5,3,red,0\n2,-1,blue,1\n,7,,1\n4,2,red,0\n5,2.25,red,1\n6,0,blue,0\n";
  std::vector<double> rows = {1.5, 3, 2, -1, std::numeric_limits<double>::quiet_NaN(), 7, 4, 2, 5, 2.25, 6, 0};
  std::vector<std::int32_t> words = {0, 1, -1, 0, 0, 1};
  std::vector<double> target = {0, 1, 1, 0, 1, 0};

  MemoryTable table() const {
    MemoryTable table{"memory", 6, {}};
    table.columns.push_back({.name = "a", .numbers = rows.data(), .stride = 2});
    table.columns.push_back({.name = "b", .numbers = rows.data() + 1, .stride = 2});
    table.columns.push_back({.name = "word", .codes = words.data(), .labels = {"red", "blue"}});
    table.columns.push_back({.name = "y", .numbers = target.data()});
    return table;
  }

  Dataset read(DataOptions options) const {
    const auto path = std::filesystem::temp_directory_path() / fmt::format("memory_table_test_{}.csv", ::getpid());
    std::ofstream(path) << file;
    options.data = {path.string()};
    Dataset data = read_dataset(options);
    std::filesystem::remove(path);
    return data;
  }
};

DataOptions with_target(const char* name) {
  DataOptions options;
  options.target = {name};
  return options;
}

TEST(MemoryTable, IsTheDataSetOfAFile) {
  const Both both;
  for (const Missing missing : {Missing::pairwise, Missing::impute}) {
    for (const char* target : {"y", "b"}) {
      DataOptions options = with_target(target);
      options.missing = missing;
      const Dataset ours = make_dataset(both.table(), options), theirs = both.read(options);
      EXPECT_EQ(ours.fingerprint(), theirs.fingerprint());
      EXPECT_EQ(ours.feature_names(), theirs.feature_names());
      EXPECT_EQ(health_lines(ours.health), health_lines(theirs.health));
    }
  }
}

TEST(MemoryTable, DrawsTheSameRows) {
  const Both both;
  DataOptions options = with_target("y");
  options.rows = 4;
  options.seed = 3;
  const Dataset ours = make_dataset(both.table(), options), theirs = both.read(options);
  EXPECT_EQ(ours.rows, theirs.rows);
  EXPECT_EQ(ours.fingerprint(), theirs.fingerprint());
}

TEST(MemoryTable, BlocksAndSeriesAreFeatures) {
  const Both both;
  MemoryTable table = both.table();
  table.columns[0].feature = table.columns[1].feature = "block";
  Dataset data = make_dataset(table, with_target("y"));
  ASSERT_EQ(data.feature_names(), (std::vector<std::string>{"block", "word"}));
  EXPECT_EQ(data.features[0].channels, 2u);
  table.columns[1].step = 1;
  data = make_dataset(table, with_target("y"));
  EXPECT_EQ(data.features[0].steps, 2u);
}

TEST(MemoryTable, RefusesWhatAFileCannotHave) {
  const Both both;
  MemoryTable table = both.table();
  table.columns[1].name = table.columns[0].name;
  EXPECT_THROW(make_dataset(table, with_target("y")), InputError);
  EXPECT_THROW(make_dataset(both.table(), with_target("z")), InputError);
  EXPECT_THROW(make_dataset(both.table(), with_target("a")), InputError);  // NaN in a target in memory is no empty cell
}

}  // namespace
}  // namespace macmi::data
