#include "data/columns/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/random.hpp"

namespace macmi::data {
namespace {

TEST(NumberText, AgreesWithStrtodOnRandomDoubles) {
  base::RandomStream random(base::StreamKey(2).with("numbers"));
  char text[64];
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.9e", value);
    const auto parsed = parse_number_text(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*parsed), std::bit_cast<std::uint64_t>(std::strtod(text, nullptr))) << text;
  }
}

TEST(NumberText, AcceptsWhatPeopleWrite) {
  EXPECT_EQ(parse_number_text(" 1.5 "), 1.5);
  EXPECT_EQ(parse_number_text("+7"), 7.0);
  EXPECT_EQ(parse_number_text("1,5", ','), 1.5);
  EXPECT_EQ(parse_number_text("-Infinity"), -INFINITY);
  EXPECT_TRUE(std::isnan(*parse_number_text("nan")));
  EXPECT_EQ(parse_number_text("1e999"), INFINITY);
  EXPECT_EQ(parse_number_text("1e-999"), 0.0);
  for (const char* text : {"", " ", "1,5", "1.5x", "abc", "0x10", "1 2", "--1", "+-1", "."})
    EXPECT_FALSE(parse_number_text(text)) << text;
}

TEST(NumberText, DatesAgreeWithTheCalendarOfTheSystem) {
  for (int day = -40000; day < 40000; day += 123) {
    const std::time_t moment = static_cast<std::time_t>(day) * 86400 + 3723;
    std::tm parts{};
    ::gmtime_r(&moment, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    EXPECT_EQ(parse_time_text(text), static_cast<double>(moment)) << text;
    std::snprintf(text, sizeof text, "%d/%d/%d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
    EXPECT_EQ(parse_time_text(text), 86400.0 * day) << text;
  }
  EXPECT_EQ(parse_time_text("2018-01-31T12:30Z"), *parse_time_text("2018-01-31 12:30:00"));
  for (const char* text :
       {"2018-02-30", "2018-13-01", "18-01-01", "2018-01", "2018-01-01x", "2018-01-01 25:00", "20180101"})
    EXPECT_FALSE(parse_time_text(text)) << text;
}

}  // namespace
}  // namespace macmi::data
