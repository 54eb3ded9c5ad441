#include "base/files/array_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "macmi/error.hpp"

namespace macmi::base {
namespace {

constexpr std::string_view magic = "MACMIARR";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t alignment = 64;
constexpr std::array<std::size_t, 5> widths = {4, 8, 4, 8, 1};

std::size_t aligned(std::size_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::uint32_t crc_of(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Reads the directory, never beyond its end.
class Cursor {
 public:
  Cursor(const ArrayFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}
  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) file_.refuse("it is cut short");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  const ArrayFile& file_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void ArrayFile::refuse(const std::string& why) const {
  throw InputError(fmt::format("{} cannot be used: {}", name_, why));
}

ArrayFile ArrayFile::parse(std::string_view bytes, std::string name) {
  ArrayFile file;
  file.name_ = std::move(name);
  if (!bytes.starts_with(magic)) file.refuse("it was not written by macmi train");
  Cursor cursor(file, bytes);
  cursor.take(magic.size());
  const auto version = cursor.number<std::uint32_t>();
  if (version != format_version)
    file.refuse(
        fmt::format("its format is version {}, and this macmi reads version {}; train again or use the macmi that "
                    "wrote it",
                    version, format_version));
  const auto count = cursor.number<std::uint32_t>();
  const auto size = cursor.number<std::uint64_t>();
  if (size != bytes.size() || size < 4)
    file.refuse(fmt::format("it has {} bytes where {} were written: it is cut short or damaged", bytes.size(), size));
  std::uint32_t crc;
  std::memcpy(&crc, bytes.data() + size - 4, 4);
  if (crc != crc_of(0, bytes.substr(0, size - 4))) file.refuse("its checksum is wrong: it is damaged");
  for (std::uint32_t e = 0; e < count; ++e) {
    const std::string array(cursor.take(cursor.number<std::uint32_t>()));
    ArrayEntry entry;
    const auto type = cursor.number<std::uint8_t>();
    if (type >= widths.size()) file.refuse(fmt::format("array '{}' is of an unknown type", array));
    entry.type = static_cast<ArrayType>(type);
    entry.shape.resize(cursor.number<std::uint8_t>());
    std::uint64_t values = 1;
    for (std::uint64_t& extent : entry.shape) {
      extent = cursor.number<std::uint64_t>();
      if (extent > size || (extent > 0 && values > size / extent))
        file.refuse(fmt::format("array '{}' is larger than the file", array));
      values *= extent;
    }
    const auto offset = cursor.number<std::uint64_t>();
    if (offset % alignment != 0 || offset > size - 4 || values > (size - 4 - offset) / widths[type])
      file.refuse(fmt::format("array '{}' lies outside the file", array));
    entry.bytes = bytes.substr(offset, values * widths[type]);
    if (!file.entries_.emplace(array, std::move(entry)).second)
      file.refuse(fmt::format("array '{}' is there twice", array));
  }
  return file;
}

const ArrayEntry& ArrayFile::find(const std::string& array) const {
  const auto at = entries_.find(array);
  if (at == entries_.end()) refuse(fmt::format("it has no '{}'", array));
  return at->second;
}

template <class T>
std::span<const T> ArrayFile::values(const std::string& array, ArrayType type) const {
  const ArrayEntry& entry = find(array);
  if (entry.type != type) refuse(fmt::format("'{}' is of another type than expected", array));
  return {reinterpret_cast<const T*>(entry.bytes.data()), entry.bytes.size() / sizeof(T)};
}

std::span<const float> ArrayFile::floats(const std::string& a) const {
  return values<float>(a, ArrayType::f32);
}
std::span<const double> ArrayFile::doubles(const std::string& a) const {
  return values<double>(a, ArrayType::f64);
}
std::span<const std::int32_t> ArrayFile::ints(const std::string& a) const {
  return values<std::int32_t>(a, ArrayType::i32);
}
std::span<const std::int64_t> ArrayFile::longs(const std::string& a) const {
  return values<std::int64_t>(a, ArrayType::i64);
}
std::span<const std::uint8_t> ArrayFile::bytes(const std::string& a) const {
  return values<std::uint8_t>(a, ArrayType::u8);
}

std::string ArrayFile::text(const std::string& array) const {
  const auto raw = bytes(array);
  return {raw.begin(), raw.end()};
}

std::vector<std::string> ArrayFile::strings(const std::string& array) const {
  const std::string all = text(array);
  const auto ends = longs(array + ".ends");
  std::vector<std::string> result;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    if (end < begin || end > static_cast<std::int64_t>(all.size())) refuse(fmt::format("'{}' is damaged", array));
    result.push_back(all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  return result;
}

double ArrayFile::number(const std::string& array) const {
  const auto all = doubles(array);
  if (all.size() != 1) refuse(fmt::format("'{}' is not one number", array));
  return all[0];
}

std::int64_t ArrayFile::integer(const std::string& array) const {
  const auto all = longs(array);
  if (all.size() != 1) refuse(fmt::format("'{}' is not one number", array));
  return all[0];
}

std::int64_t ArrayFile::integer(const std::string& array, std::int64_t low, std::int64_t high) const {
  const std::int64_t value = integer(array);
  if (value < low || value > high) refuse(fmt::format("'{}' is {}, outside {} to {}", array, value, low, high));
  return value;
}

void ArrayFileWriter::put_bytes(const std::string& array, ArrayType type, std::string_view bytes, Shape shape,
                                std::size_t width) {
  if (shape.empty()) shape = {bytes.size() / width};
  entries_[array] = {type, std::move(shape), bytes};
}

namespace {
template <class T>
std::string_view as_bytes(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
}  // namespace

void ArrayFileWriter::put(const std::string& a, std::span<const float> v, Shape s) {
  put_bytes(a, ArrayType::f32, as_bytes(v), std::move(s), 4);
}
void ArrayFileWriter::put(const std::string& a, std::span<const double> v, Shape s) {
  put_bytes(a, ArrayType::f64, as_bytes(v), std::move(s), 8);
}
void ArrayFileWriter::put(const std::string& a, std::span<const std::int32_t> v, Shape s) {
  put_bytes(a, ArrayType::i32, as_bytes(v), std::move(s), 4);
}
void ArrayFileWriter::put(const std::string& a, std::span<const std::int64_t> v, Shape s) {
  put_bytes(a, ArrayType::i64, as_bytes(v), std::move(s), 8);
}
void ArrayFileWriter::put(const std::string& a, std::span<const std::uint8_t> v, Shape s) {
  put_bytes(a, ArrayType::u8, as_bytes(v), std::move(s), 1);
}

std::string_view ArrayFileWriter::own(std::string bytes) {
  const auto& kept = owned_.emplace_back(bytes.begin(), bytes.end());  // moving a vector keeps its elements in place
  return {kept.data(), kept.size()};
}

void ArrayFileWriter::put_text(const std::string& array, const std::string& text) {
  put_bytes(array, ArrayType::u8, own(text), {}, 1);
}

void ArrayFileWriter::put_strings(const std::string& array, const std::vector<std::string>& strings) {
  std::string all, ends;
  for (const std::string& s : strings) {
    all += s;
    append(ends, static_cast<std::int64_t>(all.size()));
  }
  put_text(array, all);
  put_bytes(array + ".ends", ArrayType::i64, own(ends), {}, 8);
}

void ArrayFileWriter::put_number(const std::string& array, double value) {
  std::string bytes;
  append(bytes, value);
  put_bytes(array, ArrayType::f64, own(bytes), {}, 8);
}

void ArrayFileWriter::put_integer(const std::string& array, std::int64_t value) {
  std::string bytes;
  append(bytes, value);
  put_bytes(array, ArrayType::i64, own(bytes), {}, 8);
}

/// Calls sink with the pieces of the file in order.
template <class Sink>
void ArrayFileWriter::stream(Sink sink) const {
  std::size_t directory = magic.size() + 4 + 4 + 8;
  for (const auto& [name, entry] : entries_) directory += 4 + name.size() + 2 + 8 * entry.shape.size() + 8;
  std::size_t end = directory;
  std::string list;
  for (const auto& [name, entry] : entries_) {
    append(list, static_cast<std::uint32_t>(name.size()));
    list += name;
    append(list, static_cast<std::uint8_t>(entry.type));
    append(list, static_cast<std::uint8_t>(entry.shape.size()));
    for (const std::uint64_t extent : entry.shape) append(list, extent);
    end = aligned(end);
    append(list, static_cast<std::uint64_t>(end));
    end += entry.bytes.size();
  }
  std::string head(magic);
  append(head, format_version);
  append(head, static_cast<std::uint32_t>(entries_.size()));
  append(head, static_cast<std::uint64_t>(end + 4));
  std::uint32_t crc = 0;
  std::size_t at = 0;
  const auto piece = [&](std::string_view bytes) {
    if (bytes.empty()) return;  // zlib takes a null pointer for "start anew"
    crc = crc_of(crc, bytes);
    at += bytes.size();
    sink(bytes);
  };
  piece(head);
  piece(list);
  const std::string padding(alignment, '\0');
  for (const auto& [name, entry] : entries_) {
    piece(std::string_view(padding).substr(0, aligned(at) - at));
    piece(entry.bytes);
  }
  sink(std::string_view(reinterpret_cast<const char*>(&crc), 4));
}

std::string ArrayFileWriter::bytes() const {
  std::string all;
  stream([&](std::string_view part) { all += part; });
  return all;
}

void ArrayFileWriter::write(const std::string& path) const {
  const std::string unfinished = path + ".part";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  bool good = file != nullptr;
  if (good)
    stream(
        [&](std::string_view part) { good = good && std::fwrite(part.data(), 1, part.size(), file) == part.size(); });
  if (file != nullptr) good = std::fclose(file) == 0 && good;
  if (good && std::rename(unfinished.c_str(), path.c_str()) == 0) return;
  const std::string reason = std::strerror(errno);
  std::remove(unfinished.c_str());
  throw InputError(fmt::format("{} cannot be written: {}", path, reason));
}

}  // namespace macmi::base
