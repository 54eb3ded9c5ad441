// Long format and arrays of three dimensions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.hpp"
#include "data/scratch_files.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

std::string refusal(const DataOptions& options) {
  try {
    read_dataset(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

DataOptions long_format(const std::string& path, std::uint64_t window) {
  DataOptions options;
  options.data = {path};
  options.target = {"failed"};
  options.id = "unit";
  options.time = "day";
  options.window = window;
  return options;
}

TEST(LongFormat, AgreesWithTheTableItWasMadeFrom) {
  // Units of 5 to 9 days, rows in random order, two channels; the oracle is the generator's own arrays.
  const ScratchDirectory scratch;
  base::RandomStream random(base::StreamKey(9).with("long format"));
  std::map<std::string, std::vector<std::array<double, 3>>> units;  // day by day: temperature, load, failed
  std::vector<std::string> lines;
  for (int u = 0; u < 40; ++u) {
    const std::string name = fmt::format("unit, {}", u);
    for (std::uint64_t d = 0, days = 5 + random.below(5); d < days; ++d) {
      units[name].push_back({random.normal(), random.normal(), static_cast<double>(random.below(2))});
      const auto& [temperature, load, failed] = units[name].back();
      lines.push_back(fmt::format("\"{}\",2018-02-{:02d},{},{},{},model{}\n", name, d + 20 - days, temperature, load,
                                  failed, u % 3));
    }
  }
  for (std::size_t i = lines.size(); i-- > 1;) std::swap(lines[i], lines[random.below(i + 1)]);
  std::string csv = "unit,day,s_temperature,s_load,failed,model\n";
  for (const std::string& line : lines) csv += line;
  DataOptions options = long_format(scratch.write("long.csv", csv), 6);
  options.group = "^(s)_";
  const Dataset data = read_dataset(options);

  ASSERT_EQ(data.feature_names(), (Names{"s", "model"}));
  const Feature& s = data.features[0];
  EXPECT_EQ(s.steps, 6u);
  EXPECT_EQ(s.channels, 2u);
  const auto short_units = std::count_if(units.begin(), units.end(), [](const auto& u) { return u.second.size() < 6; });
  EXPECT_EQ(data.health.short_units, static_cast<std::size_t>(short_units));
  ASSERT_EQ(data.samples(), units.size() - static_cast<std::size_t>(short_units));
  ASSERT_EQ(data.units.size(), data.samples());
  for (std::size_t i = 0; i < data.samples(); ++i) {
    const auto& days = units.at(data.units[i]);
    for (std::size_t step = 0; step < 6; ++step)
      for (std::size_t channel = 0; channel < 2; ++channel)
        EXPECT_EQ(s.columns[step * 2 + channel].values[i], days[days.size() - 6 + step][channel]);
    EXPECT_EQ(data.target.columns[0].values[i], days.back()[2]);  // the last row's
  }
  // Types and scaling are those of the channel, over all its steps.
  EXPECT_EQ(s.columns[0].scaling.center, s.columns[10].scaling.center);
  EXPECT_NE(s.columns[0].scaling.center, s.columns[1].scaling.center);

  DataOptions fewer = options;
  fewer.rows = 10;
  const Dataset drawn = read_dataset(fewer);
  EXPECT_EQ(drawn.samples(), 10u);
  for (std::size_t i = 0; i < drawn.samples(); ++i)
    EXPECT_EQ(drawn.features[0].columns[0].values[i], units.at(drawn.units[i])[units.at(drawn.units[i]).size() - 6][0]);
}

TEST(LongFormat, GapsAreMissingSteps) {
  const ScratchDirectory scratch;
  DataOptions options = long_format(
      scratch.write("gap.csv", "unit,day,x,failed\na,1,10,0\na,2,20,0\na,4,40,1\nb,1,1,0\nb,2,2,0\nb,3,3,0\nb,4,4,0\n"),
      3);
  const Dataset data = read_dataset(options);
  EXPECT_EQ(data.health.units_with_gaps, 1u);
  EXPECT_EQ(data.health.missing_steps, 1u);
  ASSERT_EQ(data.features[0].steps, 3u);
  EXPECT_EQ(data.features[0].columns[0].values[0], 20);
  EXPECT_EQ(data.features[0].columns[1].missing[0], 1);
  EXPECT_EQ(data.features[0].columns[2].values[0], 40);
  options.missing = Missing::impute;
  EXPECT_EQ(read_dataset(options).features[0].channels, 2u);
}

TEST(LongFormat, WithoutAWindowAllSeriesAreEquallyLong) {
  const ScratchDirectory scratch;
  const std::string rows = "unit,day,x,failed\n1,1,10,0\n1,2,20,1\n2,1,1,0\n2,2,2,0\n";
  EXPECT_EQ(read_dataset(long_format(scratch.write("equal.csv", rows), 0)).features[0].steps, 2u);
  EXPECT_NE(refusal(long_format(scratch.write("unequal.csv", rows + "2,3,3,1\n"), 0)).find("--window T"),
            std::string::npos);
}

TEST(LongFormat, RefusesDuplicatedAndIrregularTimes) {
  const ScratchDirectory scratch;
  const std::string head = "unit,day,x,failed\na,1,10,0\na,2,20,1\nb,1,1,0\n";
  EXPECT_NE(refusal(long_format(scratch.write("twice.csv", head + "b,1,2,1\n"), 1))
                .find("unit 'b' has two rows at day 1 (rows 3 and 4)"),
            std::string::npos);
  EXPECT_NE(refusal(long_format(scratch.write("off.csv", head + "b,2.5,2,1\n"), 1)).find("irregular"),
            std::string::npos);
  EXPECT_NE(
      refusal(long_format(scratch.write("word.csv", head + "b,soon,2,1\n"), 1)).find("neither a number nor a date"),
      std::string::npos);
  EXPECT_NE(refusal(long_format(scratch.write("none.csv", head + "b,,2,1\n"), 1)).find("no value in row 4"),
            std::string::npos);
}

TEST(Arrays, OfThreeDimensionsAreSeriesFeatures) {
  const ScratchDirectory scratch;
  std::vector<double> values(5 * 2 * 3), targets = {0.5, 1.5, 2.5, 3.5, 4.5};
  std::iota(values.begin(), values.end(), 0.0);
  DataOptions options;
  options.data = {scratch.write("x.npy", npy_bytes("'<f8'", "(5, 2, 3)", bytes_of(values.data(), values.size()))),
                  scratch.write("y.npy", npy_bytes("'<f8'", "(5,)", bytes_of(targets.data(), 5)))};
  options.target = {"y"};
  const auto check = [&](const Dataset& data) {
    EXPECT_EQ(data.feature_names(), (Names{"x_0", "x_1"}));
    EXPECT_EQ(data.target.columns[0].values, targets);
    for (std::size_t f = 0; f < 2; ++f) {
      ASSERT_EQ(data.features[f].steps, 3u);
      for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t i = 0; i < 5; ++i)
          EXPECT_EQ(data.features[f].columns[t].values[i], values[(i * 2 + f) * 3 + t]);
    }
  };
  check(read_dataset(options));
  options.data = {scratch.write(
      "both.npz", npz_bytes({{"x.npy", npy_bytes("'<f8'", "(5, 2, 3)", bytes_of(values.data(), values.size()))},
                             {"y.npy", npy_bytes("'<f8'", "(5,)", bytes_of(targets.data(), 5))}},
                            true))};
  check(read_dataset(options));
  // Series of an array beside a table of the same samples.
  options.data = {scratch.path("x.npy"), scratch.write("labels.csv", "y\nno\nyes\nno\nno\nyes\n")};
  EXPECT_EQ(read_dataset(options).classes(), (Names{"no", "yes"}));
  options.data = {scratch.path("x.npy"), scratch.write("short.csv", "y\nno\nyes\n")};
  EXPECT_NE(refusal(options).find("rows"), std::string::npos);
}

}  // namespace
}  // namespace macmi::data
