#include "data/arrays/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random.hpp"
#include "data/arrays/npz.hpp"
#include "data/scratch_files.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

template <class T>
void expect_round_trip(const std::string& type) {
  base::RandomStream random(base::StreamKey(3).with(type));
  std::vector<T> values(24);
  for (T& value : values) value = static_cast<T>(static_cast<std::int64_t>(random() >> 20) - (std::int64_t{1} << 43));
  const std::string data = bytes_of(values.data(), values.size());
  std::string swapped;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string element = data.substr(i * sizeof(T), sizeof(T));
    std::reverse(element.begin(), element.end());
    swapped += element;
  }
  for (const bool big_endian : {false, true}) {
    const NpyArray array = parse_npy(
        npy_bytes("'" + std::string(big_endian ? ">" : "<") + type + "'", "(4, 6)", big_endian ? swapped : data), "x");
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{4, 6}));
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(array.values[i], static_cast<double>(values[i])) << type;
  }
}

TEST(Npy, ReadsEveryNumberType) {
  expect_round_trip<double>("f8");
  expect_round_trip<float>("f4");
  expect_round_trip<std::int8_t>("i1");
  expect_round_trip<std::int16_t>("i2");
  expect_round_trip<std::int32_t>("i4");
  expect_round_trip<std::int64_t>("i8");
  expect_round_trip<std::uint8_t>("u1");
  expect_round_trip<std::uint16_t>("u2");
  expect_round_trip<std::uint32_t>("u4");
  expect_round_trip<std::uint64_t>("u8");
}

TEST(Npy, ReadsHalfPrecision) {
  // Values of IEEE 754-2008 binary16: largest, smallest subnormal, one, minus two, infinity, NaN.
  const std::vector<std::uint16_t> words = {0x7bff, 0x0001, 0x3c00, 0xc000, 0x7c00, 0x7e00};
  const NpyArray array = parse_npy(npy_bytes("'<f2'", "(6,)", bytes_of(words.data(), words.size())), "x");
  EXPECT_EQ(array.values[0], 65504.0);
  EXPECT_EQ(array.values[1], std::ldexp(1.0, -24));
  EXPECT_EQ(array.values[2], 1.0);
  EXPECT_EQ(array.values[3], -2.0);
  EXPECT_EQ(array.values[4], INFINITY);
  EXPECT_TRUE(std::isnan(array.values[5]));
}

TEST(Npy, FortranOrderIsTheTranspose) {
  std::vector<double> c_order(24), f_order(24);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        const double value = static_cast<double>(100 * i + 10 * j + k);
        c_order[(i * 3 + j) * 4 + k] = value;
        f_order[i + 2 * (j + 3 * k)] = value;
      }
  const NpyArray c = parse_npy(npy_bytes("'<f8'", "(2, 3, 4)", bytes_of(c_order.data(), 24)), "c");
  const NpyArray f = parse_npy(npy_bytes("'<f8'", "(2, 3, 4)", bytes_of(f_order.data(), 24), true), "f");
  EXPECT_EQ(c.values, c_order);
  EXPECT_EQ(f.values, c_order);
}

TEST(Npy, ReadsTextOfEveryPlane) {
  const NpyHeader header =
      parse_npy_header(npy_bytes("[('who', '<U3'), ('what', '|S4')]", "(1,)", std::string(16, '\0')), "x");
  ASSERT_EQ(header.fields.size(), 2u);
  EXPECT_EQ(header.fields[1].offset, 12u);
  const std::string text = little_endian(0x1F600, 4) + little_endian(0xE9, 4) + little_endian('a', 4);
  EXPECT_EQ(npy_text(header.fields[0], text.data()), "😀éa");
  EXPECT_EQ(npy_text(header.fields[1], "ab\0\0"), "ab");
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::string whole = npy_bytes("'<f8'", "(2, 3)", bytes_of(values.data(), values.size()));
  EXPECT_EQ(parse_npy(whole, "x").values, values);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(parse_npy(std::string_view(whole).substr(0, length), "x"), InputError) << length;
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string data(64, '\0');
  for (const char* descr : {"'|O8'", "'<c16'", "'<M8[ns]'", "'<f16'", "''", "[]", "[('a', [('b', '<f8')])]", "3"})
    EXPECT_THROW(parse_npy(npy_bytes(descr, "(1,)", data), "x"), InputError) << descr;
  for (const char* shape : {"(99999999999999999999,)", "(4294967296, 4294967296)", "('a',)", "(-1,)", "(0,)", "5",
                            "((((((((((1,),),),),),),),),),)"})
    EXPECT_THROW(parse_npy(npy_bytes("'<f8'", shape, data), "x"), InputError) << shape;
}

TEST(Npz, MembersComeBackStoredAndDeflated) {
  const std::vector<double> values(5000, 1.25);
  const std::string x = npy_bytes("'<f8'", "(5000,)", bytes_of(values.data(), values.size()));
  const std::string y = npy_bytes("'<i4'", "(1,)", little_endian(7, 4));
  for (const bool deflate : {false, true}) {
    const std::string archive = npz_bytes({{"x.npy", x}, {"names with, commas.npy", y}}, deflate);
    const std::vector<NpzMember> members = list_npz(archive, "a.npz");
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].name, "x");
    EXPECT_EQ(members[1].name, "names with, commas");
    EXPECT_EQ(unpack(members[0], "a.npz"), x);
    EXPECT_EQ(unpack(members[1], "a.npz"), y);
  }
}

TEST(Npz, DamageIsSeen) {
  const std::vector<double> values = {1, 2, 3};
  const std::string archive = npz_bytes({{"x.npy", npy_bytes("'<f8'", "(3,)", bytes_of(values.data(), 3))}}, true);
  // A flipped byte is either refused or, in the fields nobody reads, without effect.
  for (std::size_t i = 0; i < archive.size(); ++i) {
    std::string damaged = archive;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    try {
      for (const NpzMember& member : list_npz(damaged, "x"))
        EXPECT_EQ(parse_npy(unpack(member, "x"), "x").values, values) << i;
    } catch (const InputError&) {
    }
  }
  for (std::size_t length = 0; length < archive.size(); ++length)
    EXPECT_THROW(for (const NpzMember& m
                      : list_npz(std::string_view(archive).substr(0, length), "x")) unpack(m, "x"),
                 InputError)
        << length;
}

}  // namespace
}  // namespace macmi::data
