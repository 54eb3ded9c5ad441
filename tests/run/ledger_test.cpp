#include "run/ledger.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "macmi/error.hpp"

namespace macmi::run {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "macmi-ledger-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(LedgerTest, MeasuresOnceAndKeepsEveryBit) {
  int measured = 0;
  const auto third = [&] {
    ++measured;
    return 1.0 / 3;
  };
  for (int opened = 0; opened < 2; ++opened) {
    Ledger ledger(directory_ + "/new/folder");
    EXPECT_EQ(ledger.number("a", third), 1.0 / 3);
    EXPECT_EQ(ledger.number("a", third), 1.0 / 3);
    EXPECT_FALSE(ledger.find("b").has_value());
  }
  EXPECT_EQ(measured, 1);
}

TEST_F(LedgerTest, RemovesItsOwnFilesOnly) {
  const std::string made = directory_ + "/made", shared = directory_ + "/shared";
  for (const std::string& directory : {made, shared}) {
    Ledger ledger(directory);
    ledger.store("a", "1");
    std::filesystem::create_directories(directory + "/training/part");
    if (directory == shared) std::filesystem::create_directory(directory + "/theirs");
    ledger.remove();
  }
  EXPECT_FALSE(std::filesystem::exists(made));
  EXPECT_TRUE(std::filesystem::exists(shared + "/theirs"));
  EXPECT_FALSE(std::filesystem::exists(shared + "/measurements.sqlite"));
}

TEST_F(LedgerTest, AMeasurementThatFailsIsNotStored) {
  Ledger ledger(directory_);
  EXPECT_THROW(ledger.value("a", []() -> std::string { throw Cancelled(); }), Cancelled);
  EXPECT_FALSE(ledger.find("a").has_value());
}

TEST_F(LedgerTest, AFileOfAnEarlierFormatIsRefusedByName) {
  { Database(directory_ + "/measurements.sqlite", Database::Mode::create).execute("CREATE TABLE measurements (a)"); }
  try {
    Ledger ledger(directory_);
    FAIL() << "opened";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("measurements.sqlite is not a journal"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("remove it"), std::string::npos);
  }
}

TEST_F(LedgerTest, OneProcessAtATime) {
  const Ledger ledger(directory_);
  EXPECT_THROW(Ledger second(directory_), InputError);
}

TEST_F(LedgerTest, WatchStopsWhenToldTo) {
  std::size_t calls = 0;
  Watch watch([&](const Progress& p) { return ++calls, p.done < 2; }, "tests", 3);
  watch.begin("stage", "one");
  watch.done(true);
  EXPECT_THROW(watch.done(false), Cancelled);
  EXPECT_FALSE(watch.keep_going());
  EXPECT_THROW(watch.begin("stage", "two"), Cancelled);
}

}  // namespace
}  // namespace macmi::run
