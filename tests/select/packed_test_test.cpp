#include "select/selection_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "base/random.hpp"
#include "macmi/error.hpp"
#include "run/stored_test.hpp"
#include "select/prepared_samples.hpp"
#include "select/small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::dataset_of;
using testing::labels;
using testing::numbers;

/// Numbers, categories, gaps and a constant, with a target that depends on the first two.
Dataset mixed(std::size_t n) {
  base::RandomStream random(base::StreamKey(5).with("packed"));
  std::vector<double> a(n), b(n), gaps(n), constant(n, 2.5), t(n);
  std::vector<std::int32_t> kind(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = random.normal(), b[i] = 1000 * random.normal(), kind[i] = static_cast<std::int32_t>(random.below(3));
    t[i] = a[i] + kind[i] + 0.3 * random.normal();
    gaps[i] = i % 7 == 3 ? std::numeric_limits<double>::quiet_NaN() : t[i] + random.normal();
  }
  return dataset_of({numbers("a", a), numbers("b", b), numbers("gaps", gaps), numbers("constant", constant),
                     labels("kind", kind), numbers("t", t)});
}

/// Bytes at a multiple of 8, as memory of MPI begins.
struct Aligned {
  explicit Aligned(const std::string& bytes) : words((bytes.size() + 7) / 8), size(bytes.size()) {
    std::memcpy(words.data(), bytes.data(), size);
  }
  std::string_view view() const { return {reinterpret_cast<const char*>(words.data()), size}; }
  std::vector<std::uint64_t> words;
  std::size_t size;
};

/// Every bit of an outcome that the journal keeps.
std::string bits(const CiResult& result) {
  return run::encode(run::StoredTest{0, {}, {}, 0, result});
}

TEST(PackedTest, GivesTheBitsOfTheTestThatItWasPackedFrom) {
  const Dataset data = mixed(80);
  std::vector<std::int32_t> folds(data.samples());
  for (std::size_t i = 0; i < folds.size(); ++i) folds[i] = static_cast<std::int32_t>(i % 2);
  for (const Transform transform : {Transform::automatic, Transform::standardize}) {
    for (const bool with_folds : {false, true}) {
      SelectOptions options;
      options.test.transform = transform;
      options.test.permutations = 64;
      const auto original = make_selection_test(data, options, {}, with_folds ? folds : std::vector<std::int32_t>{});
      const Aligned packed(original->packed());
      const auto test = make_packed_test(packed.view(), options);
      ASSERT_EQ(std::vector(test->features().begin(), test->features().end()), data.feature_names());
      for (std::size_t x = 0; x < data.features.size(); ++x) {
        const std::vector<std::size_t> given = {(x + 1) % 5, (x + 2) % 5};
        EXPECT_EQ(bits(test->test(x, {})), bits(original->test(x, {})));
        EXPECT_EQ(bits(test->test(x, given)), bits(original->test(x, given)));
      }
      const CiResult earlier = original->test(0, {});
      ASSERT_TRUE(original->decided(earlier));
      EXPECT_EQ(bits(*original->decided(earlier)), bits(earlier));
    }
  }
}

TEST(PackedTest, KnowsUnitsAndSeries) {
  SelectOptions options;
  options.test.permutations = 64;
  Dataset data = mixed(80);
  const auto plain = make_selection_test(data, options)->test(0, {});
  for (std::size_t i = 0; i < 80; ++i) data.units.push_back(fmt::format("unit {}", i / 4));
  for (const bool one_series : {false, true}) {
    data.one_series = one_series;
    const auto original = make_selection_test(data, options);
    const Aligned packed(original->packed());
    const auto test = make_packed_test(packed.view(), options);
    for (const std::size_t x : {std::size_t{0}, std::size_t{2}}) {  // complete, and with missing values
      const std::vector<std::size_t> given = {1};
      EXPECT_EQ(bits(test->test(x, given)), bits(original->test(x, given)));
      const std::string note = original->test(x, given).notes.front();
      EXPECT_NE(note.find(one_series ? "rows in the order of time" : "20 units"), std::string::npos) << note;
    }
    EXPECT_NE(bits(original->test(0, {})), bits(plain));
  }
  for (std::size_t i = 0; i < 80; ++i) data.units[i] = fmt::format("unit {}", i);
  data.one_series = false;
  EXPECT_EQ(bits(make_selection_test(data, options)->test(0, {})), bits(plain)) << "every row a unit";
}

TEST(PackedTest, CutOffBytesAreNoticed) {
  const Dataset data = mixed(30);
  const Aligned packed(make_selection_test(data)->packed());
  for (std::size_t size = 0; size < packed.size; size += 8) EXPECT_THROW(unpack(packed.view().substr(0, size)), Error);
  EXPECT_EQ(unpack(packed.view()).samples, 30u);
}

}  // namespace
}  // namespace macmi::select
