#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace macmi::base {

/// Named arrays in one file: what the program and the process that trains say to each other, checkpoints and models.
/// Numbers only, nothing that could be run. The layout: "MACMIARR", format version, directory, arrays at multiples of
/// 64 bytes, and a CRC-32 of all before it.
enum class ArrayType : std::uint8_t { f32, f64, i32, i64, u8 };

struct ArrayEntry {
  ArrayType type = ArrayType::u8;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;
};

/// Arrays read from the bytes of such a file, which must outlive it. Every question that the file cannot answer throws
/// InputError with the file's name.
class ArrayFile {
 public:
  static ArrayFile parse(std::string_view bytes, std::string name);

  bool has(const std::string& array) const { return entries_.contains(array); }
  const std::vector<std::uint64_t>& shape(const std::string& array) const { return find(array).shape; }
  std::span<const float> floats(const std::string& array) const;
  std::span<const double> doubles(const std::string& array) const;
  std::span<const std::int32_t> ints(const std::string& array) const;
  std::span<const std::int64_t> longs(const std::string& array) const;
  std::span<const std::uint8_t> bytes(const std::string& array) const;
  std::string text(const std::string& array) const;
  std::vector<std::string> strings(const std::string& array) const;
  double number(const std::string& array) const;         ///< one f64
  std::int64_t integer(const std::string& array) const;  ///< one i64
  /// The same, refused outside [low, high].
  std::int64_t integer(const std::string& array, std::int64_t low, std::int64_t high) const;

  const std::string& name() const { return name_; }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const ArrayEntry& find(const std::string& array) const;
  template <class T>
  std::span<const T> values(const std::string& array, ArrayType type) const;

  std::string name_;
  std::map<std::string, ArrayEntry> entries_;
};

/// Collects arrays and writes them. Arrays given as spans are not copied: they must outlive the writing.
class ArrayFileWriter {
 public:
  using Shape = std::vector<std::uint64_t>;
  void put(const std::string& array, std::span<const float> values, Shape shape = {});
  void put(const std::string& array, std::span<const double> values, Shape shape = {});
  void put(const std::string& array, std::span<const std::int32_t> values, Shape shape = {});
  void put(const std::string& array, std::span<const std::int64_t> values, Shape shape = {});
  void put(const std::string& array, std::span<const std::uint8_t> values, Shape shape = {});
  void put_text(const std::string& array, const std::string& text);
  void put_strings(const std::string& array, const std::vector<std::string>& strings);
  void put_number(const std::string& array, double value);
  void put_integer(const std::string& array, std::int64_t value);

  /// All or nothing: the file has its name only when it is whole. Throws InputError.
  void write(const std::string& path) const;
  std::string bytes() const;

 private:
  void put_bytes(const std::string& array, ArrayType type, std::string_view bytes, Shape shape, std::size_t width);
  std::string_view own(std::string bytes);
  template <class Sink>
  void stream(Sink sink) const;

  std::map<std::string, ArrayEntry> entries_;
  std::vector<std::vector<char>> owned_;
};

}  // namespace macmi::base
