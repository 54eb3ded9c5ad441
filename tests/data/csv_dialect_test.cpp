#include "data/tables/csv_dialect.hpp"

#include <gtest/gtest.h>

#include "data/scratch_files.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

CsvDialect detect(const std::string& text) {
  const ScratchDirectory scratch;
  return detect_csv_dialect(scratch.write("table.csv", text));
}

std::string refusal(const std::string& text) {
  try {
    detect(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CsvDialect, FindsTheSeparator) {
  EXPECT_EQ(detect("a,b\n1,2\n").delimiter, ',');
  EXPECT_EQ(detect("a;b\n1;2\n").delimiter, ';');
  EXPECT_EQ(detect("a\tb\n1\t2\n").delimiter, '\t');
  EXPECT_EQ(detect("a|b\r\n1|2\r\n").delimiter, '|');
  EXPECT_EQ(detect("\"x, y\";b\n1;2\n").delimiter, ';');
  EXPECT_EQ(detect("temperature, inside;b\n1;2\n3;4\n").delimiter, ';');
  EXPECT_EQ(detect("one\n1\n").names, Names{"one"});
}

TEST(CsvDialect, ADecimalCommaNeedsSemicolons) {
  EXPECT_EQ(detect("a;b\n1,5;2\n").decimal, ',');
  EXPECT_EQ(detect("a;b\n1.5;2\n").decimal, '.');
  EXPECT_EQ(detect("a;b\n\"Doe, Jane\";2\n").decimal, '.');
}

TEST(CsvDialect, KeepsHostileNames) {
  const CsvDialect dialect =
      detect("\xef\xbb\xbf\"a,b\",\"say \"\"hi\"\"\",\" spaced \",größe,<b>x</b>,\"two\nlines\"\n1,2,3,4,5,6\n");
  EXPECT_EQ(dialect.names, (Names{"a,b", "say \"hi\"", " spaced ", "größe", "<b>x</b>", "two\nlines"}));
  EXPECT_EQ(dialect.delimiter, ',');
}

TEST(CsvDialect, AFileOfNumbersHasNoHeader) {
  const CsvDialect dialect = detect("1,2.5\n3,4\n");
  EXPECT_FALSE(dialect.header);
  EXPECT_EQ(dialect.names, (Names{"c0", "c1"}));
}

TEST(CsvDialect, SeesNumbersAndText) {
  const CsvDialect dialect = detect("a,b,c,d\n1,x,,NA\n2,,nan,\n");
  EXPECT_EQ(dialect.numbers_seen, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(dialect.text_seen, (std::vector<bool>{false, true, false, false}));
}

TEST(CsvDialect, RefusesWhatCannotBeRight) {
  EXPECT_NE(refusal("a,b,a\n1,2,3\n").find("two columns are named 'a' (columns 1 and 3)"), std::string::npos);
  EXPECT_NE(refusal("a,b\n").find("a header and no rows"), std::string::npos);
  EXPECT_NE(refusal("\"a,b\n1,2\n").find("never closed"), std::string::npos);
}

}  // namespace
}  // namespace macmi::data
