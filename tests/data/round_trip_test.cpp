// The same table in every format gives the same data set, bit for bit, and the one that was written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/random.hpp"
#include "data/same_dataset.hpp"
#include "data/scratch_files.hpp"
#include "data/tables/duckdb_connection.hpp"
#include "macmi/dataset.hpp"

#if defined(__SANITIZE_THREAD__)
// DuckDB is not built with the sanitizer, which therefore sees its calls into libc but not its locks.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libduckdb.so\n";
}  // NOLINT(bugprone-reserved-identifier)
#endif

namespace macmi::data {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// A table with every kind of column and with missing values; what the test writes to each format itself.
struct Original {
  static constexpr std::size_t n = 400;
  std::vector<std::string> names = {"any double", "small,int", "say \"hi\"", "größe <b>", "flag", "word", "y"};
  std::vector<std::vector<double>> numbers = std::vector<std::vector<double>>(7);
  std::vector<std::string> words;

  Original() {
    base::RandomStream random(base::StreamKey(5).with("round trip"));
    const std::vector<std::string> vocabulary = {"red", "a,b", "\"", "naïve", "", "x y"};
    for (std::size_t i = 0; i < n; ++i) {
      double any = 0;
      do any = std::bit_cast<double>(random());
      while (!std::isfinite(any) || std::fabs(any) > 1e150 || (any != 0 && std::fabs(any) < 1e-150));
      numbers[0].push_back(any);
      numbers[1].push_back(static_cast<double>(random.below(50)) - 25);
      numbers[2].push_back(i % 7 == 3 ? absent : random.normal());
      numbers[3].push_back(static_cast<double>(random.below(1ull << 53)));
      numbers[4].push_back(static_cast<double>(random.below(2)));
      numbers[5].push_back(absent);
      numbers[6].push_back(random.uniform());
      words.push_back(vocabulary[random.below(vocabulary.size())]);
    }
  }

  static std::string text(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }
  static std::string quoted(const std::string& field, char quote, const char* doubled) {
    std::string result(1, quote);
    for (const char c : field) result += c == quote ? std::string(doubled) : std::string(1, c);
    return result + quote;
  }

  std::string csv(char separator) const {
    std::string out;
    const auto end = [&](std::size_t c) { out += c + 1 < names.size() ? separator : '\n'; };
    for (std::size_t c = 0; c < names.size(); ++c) out += quoted(names[c], '"', "\"\""), end(c);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < names.size(); ++c) {
        if (c == 4)
          out += numbers[4][i] == 1 ? "true" : "false";
        else if (c == 5)
          out += words[i].empty() ? "" : quoted(words[i], '"', "\"\"");
        else
          out += text(numbers[c][i]);
        end(c);
      }
    return out;
  }

  std::string json() const {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) {
      out += '{';
      for (std::size_t c = 0; c < names.size(); ++c) {
        out += (c > 0 ? ", " : "") + quoted(names[c], '"', "\\\"") + ": ";
        if (c == 4)
          out += numbers[4][i] == 1 ? "true" : "false";
        else if (c == 5)
          out += words[i].empty() ? "null" : quoted(words[i], '"', "\\\"");
        else
          out += std::isnan(numbers[c][i]) ? "null" : text(numbers[c][i]);
      }
      out += "}\n";
    }
    return out;
  }

  /// A structured array: numbers, one boolean, one text field.
  std::string npy() const {
    std::string descr = "[", data;
    for (std::size_t c = 0; c < names.size(); ++c)
      descr += fmt::format("('{}', '{}'), ", names[c], c == 4 ? "|b1" : c == 5 ? "<U5" : "<f8");
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < names.size(); ++c) {
        if (c == 4)
          data += static_cast<char>(numbers[4][i]);
        else if (c != 5)
          data += bytes_of(&numbers[c][i], 1);
        else
          for (std::size_t k = 0, at = 0; k < 5; ++k) {
            // "naïve" is the one word beyond ASCII: ï is two bytes of UTF-8 and one code point.
            const bool two = at + 1 < words[i].size() && static_cast<unsigned char>(words[i][at]) == 0xc3;
            data += little_endian(at >= words[i].size() ? 0 : two ? 0xef : static_cast<unsigned char>(words[i][at]), 4);
            at += two ? 2 : 1;
          }
      }
    return npy_bytes(descr + "]", fmt::format("({},)", n), data);
  }
};

Dataset read(const std::string& path) {
  DataOptions options;
  options.data = {path};
  options.target = {"y"};
  return read_dataset(options);
}

TEST(RoundTrip, EveryFormatGivesTheSameDataset) {
  const ScratchDirectory scratch;
  const Original original;
  const Dataset csv = read(scratch.write("table.csv", original.csv(',')));

  // First against what was written …
  ASSERT_EQ(csv.samples(), Original::n);
  ASSERT_EQ(csv.feature_names(), (std::vector<std::string>(original.names.begin(), original.names.end() - 1)));
  for (const std::size_t c : {0u, 1u, 2u, 3u, 4u})
    for (std::size_t i = 0; i < Original::n; ++i) {
      const double value = csv.features[c].columns[0].values[i], written = original.numbers[c][i];
      if (std::isnan(written))
        EXPECT_TRUE(std::isnan(value) && csv.features[c].columns[0].missing[i] == 1);
      else
        EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(written)) << original.names[c];
    }
  const DataColumn& word = csv.features[5].columns[0];
  for (std::size_t i = 0; i < Original::n; ++i)
    EXPECT_EQ(word.codes[i] < 0 ? "" : word.labels[word.codes[i]], original.words[i]);
  EXPECT_EQ(csv.features[0].type(), ColumnType::continuous);
  EXPECT_EQ(csv.features[1].type(), ColumnType::integer);
  EXPECT_EQ(csv.features[4].type(), ColumnType::boolean);
  EXPECT_EQ(csv.features[5].type(), ColumnType::categorical);

  // … then every other format against CSV.
  expect_same(csv, read(scratch.write_gzip("table.csv.gz", original.csv(','))));
  expect_same(csv, read(scratch.write("table.tsv", original.csv('\t'))));
  expect_same(csv, read(scratch.write("semicolons.txt", original.csv(';'))));
  const std::string json = scratch.write("table.jsonl", original.json());
  expect_same(csv, read(json));
  expect_same(csv, read(scratch.write_gzip("zipped.jsonl.gz", original.json())));
  const std::string parquet = scratch.path("table.parquet");
  DuckdbConnection(1).run(
      fmt::format("COPY (SELECT * FROM read_json({})) TO {} (FORMAT parquet)", sql_string(json), sql_string(parquet)));
  expect_same(csv, read(parquet));
  expect_same(csv, read(scratch.write("table.npy", original.npy())));
  expect_same(csv, read(scratch.write("table.npz", npz_bytes({{"table.npy", original.npy()}}, true))));
}

TEST(RoundTrip, FilesOfOneLayoutAreStackedInOrder) {
  const ScratchDirectory scratch;
  scratch.write("part1.csv", "a,y\n1,10\n2,20\n");
  scratch.write("part2.csv", "y;a\n30;3\n");  // other separator, other order of columns
  scratch.write_gzip("part3.csv.gz", "a,y\n4,40\n");
  DataOptions options;
  options.data = {scratch.path("part*")};
  options.target = {"y"};
  const Dataset data = read_dataset(options);
  EXPECT_EQ(data.features[0].columns[0].values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(data.target.columns[0].values, (std::vector<double>{10, 20, 30, 40}));
}

TEST(RoundTrip, TheNumberOfThreadsDoesNotMatter) {
  const ScratchDirectory scratch;
  std::string text = "a,y\n";
  base::RandomStream random(base::StreamKey(6).with("threads"));
  for (int i = 0; i < 60000; ++i) text += fmt::format("{},{}\n", random.normal(), random.below(3));
  DataOptions options;
  options.data = {scratch.write("long.csv", text)};
  options.target = {"y"};
  options.threads = 1;
  const Dataset one = read_dataset(options);
  options.threads = 4;
  expect_same(one, read_dataset(options));
}

}  // namespace
}  // namespace macmi::data
