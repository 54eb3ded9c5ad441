// Model files: what was written is read back; anything else is refused with the file's name, whatever its bytes.
#include "maps/map_model.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>

#include "macmi/error.hpp"

namespace macmi::maps {
namespace {

MapModel small_model() {
  MapModel model;
  for (const std::size_t width : {1, 2}) {
    Feature& f = model.schema.features.emplace_back();
    f.name = "f" + std::to_string(width);
    f.channels = width;
    for (std::size_t c = 0; c < width; ++c) {
      f.columns.emplace_back().name = f.name + "_" + std::to_string(c);
      f.columns.back().scaling = {0.5, 2};
    }
  }
  model.schema.features[0].columns[0].labels = {"a", "b"};
  model.schema.features[0].columns[0].type = ColumnType::categorical;
  model.schema.target.name = "target";
  model.schema.target.columns.emplace_back().name = "target";
  model.architecture.features = {{Encoder::identity, 1, 2, 2}, {Encoder::mlp, 1, 2, 1}};
  model.architecture.map_width = model.architecture.surrogate_width = 2;
  FeatureCoding labels, numbers;
  labels.feature = 0, labels.shape = model.architecture.features[0], labels.channels = {0},
  labels.columns = {{0, 1, 2}};
  numbers.feature = 1, numbers.shape = model.architecture.features[1], numbers.channels = {1, 0},
  numbers.columns = {{1, 2, 0}, {3, 4, 0}};
  model.coding.features = {labels, numbers};
  model.coding.target.columns = {{7, 8, 0}};
  for (std::size_t i = 0; i < parameter_count(model.architecture); ++i)
    model.parameters.push_back(static_cast<float>(i) / 8);
  model.marginal = {0.25F, 0.5F};
  model.divergence = {0.1, 0.2};
  return model;
}

std::string bytes_of(const MapModel& model) {
  base::ArrayFileWriter file;
  put(file, model);
  return file.bytes();
}

void set_checksum(std::string& bytes) {
  const auto crc =
      static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size() - 4));
  std::memcpy(bytes.data() + bytes.size() - 4, &crc, 4);
}

std::string refusal(const std::string& bytes) {
  try {
    parse_model(bytes, "my.maps");
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("my.maps"), std::string::npos);
    return error.what();
  }
  return {};
}

TEST(MapModel, IsReadBackAsItWasWritten) {
  const MapModel model = small_model(), again = parse_model(bytes_of(model), "my.maps");
  EXPECT_EQ(bytes_of(again), bytes_of(model));
  EXPECT_EQ(again.parameters, model.parameters);
  EXPECT_EQ(again.schema.features[0].columns[0].labels, model.schema.features[0].columns[0].labels);
  EXPECT_EQ(again.coding.features[1].channels, model.coding.features[1].channels);
  EXPECT_EQ(again.coding.features[1].columns[1].center, 3);
}

TEST(MapModel, CutShortAnywhereIsRefused) {
  const std::string bytes = bytes_of(small_model());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(refusal(bytes.substr(0, length)).empty()) << length;
}

TEST(MapModel, WithAnyByteChangedIsRefused) {
  const std::string bytes = bytes_of(small_model());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    EXPECT_FALSE(refusal(changed).empty()) << at;
  }
}

TEST(MapModel, OfAnotherVersionSaysSo) {
  std::string format = bytes_of(small_model());
  format[8] = 9;
  set_checksum(format);
  EXPECT_NE(refusal(format).find("version 9"), std::string::npos);
  base::ArrayFileWriter file;
  const MapModel model = small_model();  // the file refers to its numbers
  put(file, model);
  file.put_integer("version", 77);
  EXPECT_NE(refusal(file.bytes()).find("version 77"), std::string::npos);
}

/// Version 2 was trained by LibTorch, and said on which of its kernels.
TEST(MapModel, OfTheFormatBeforeNamesBothVersions) {
  base::ArrayFileWriter file;
  const MapModel model = small_model();
  put(file, model);
  file.put_integer("version", 2);
  file.put_text("trained_on", "avx2");
  const std::string told = refusal(file.bytes());
  EXPECT_NE(told.find("version 2"), std::string::npos) << told;
  EXPECT_NE(told.find("reads version 3"), std::string::npos) << told;
  EXPECT_NE(told.find("train again"), std::string::npos) << told;
}

TEST(MapModel, WhoseNumbersDoNotFitIsRefused) {
  const auto refused_with = [](auto change) {
    MapModel model = small_model();
    change(model);
    return refusal(bytes_of(model));
  };
  EXPECT_NE(refused_with([](MapModel& m) { m.parameters.pop_back(); }).find("parameters"), std::string::npos);
  EXPECT_NE(
      refused_with([](MapModel& m) { m.parameters[3] = std::numeric_limits<float>::quiet_NaN(); }).find("not a number"),
      std::string::npos);
  EXPECT_NE(refused_with([](MapModel& m) { m.coding.features[1].feature = 0; }).find("twice"), std::string::npos);
  EXPECT_NE(refused_with([](MapModel& m) { m.coding.features[1].channels = {1, 1}; }).find("twice"), std::string::npos);
  EXPECT_NE(refused_with([](MapModel& m) { m.coding.features[1].columns[0].scale = 0; }).find("scaling"),
            std::string::npos);
  EXPECT_NE(refused_with([](MapModel& m) { m.architecture.map_width = 1 << 20; }).find("map_width"), std::string::npos);
  EXPECT_NE(refused_with([](MapModel& m) { m.marginal.clear(); }).find("marginal"), std::string::npos);
  EXPECT_NE(refusal("something else entirely").find("not written by macmi"), std::string::npos);
}

TEST(ArrayFile, KeepsEmptyArraysAndTexts) {
  base::ArrayFileWriter file;
  file.put("none", std::span<const float>());
  file.put_strings("words", {"", "ä", ""});
  const std::string bytes = file.bytes();
  const base::ArrayFile read = base::ArrayFile::parse(bytes, "f");
  EXPECT_TRUE(read.floats("none").empty());
  EXPECT_EQ(read.strings("words"), (std::vector<std::string>{"", "ä", ""}));
  EXPECT_THROW(read.doubles("none"), InputError);
  EXPECT_THROW(read.text("other"), InputError);
}

}  // namespace
}  // namespace macmi::maps
