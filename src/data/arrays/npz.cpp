#include "data/arrays/npz.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "macmi/error.hpp"

namespace macmi::data {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: not a .npz archive that macmi reads: {}", name, what));
}

/// Little-endian numbers at places of the archive (PKWARE's APPNOTE gives the layouts); refuses to read past the end.
class ZipBytes {
 public:
  ZipBytes(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}
  std::uint64_t number(std::size_t at, std::size_t size) const {
    const std::string_view part = slice(at, size);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(part[i])) << (8 * i);
    return value;
  }
  std::string_view slice(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) refuse(name_, "it is cut off");
    return bytes_.substr(at, size);
  }
  std::size_t size() const { return bytes_.size(); }
  std::string_view all() const { return bytes_; }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

struct Directory {
  std::uint64_t entries, offset;
};

Directory find_directory(const ZipBytes& zip, const std::string& name) {
  const std::size_t end = zip.all().rfind("PK\x05\x06");
  if (end == std::string_view::npos) refuse(name, "it has no directory");
  zip.slice(end, 22);  // the whole record is there
  Directory directory{zip.number(end + 10, 2), zip.number(end + 16, 4)};
  if (end >= 20 && zip.slice(end - 20, 4) == std::string_view("PK\x06\x07", 4)) {  // the locator of the zip64 record
    const std::uint64_t record = zip.number(end - 20 + 8, 8);
    if (zip.slice(record, 4) != std::string_view("PK\x06\x06", 4)) refuse(name, "its directory is damaged");
    directory = {zip.number(record + 32, 8), zip.number(record + 48, 8)};
  }
  return directory;
}

/// Sizes and offset beyond 4 GB stand in the extra field 1, in this order, each only if its place says 0xffffffff.
void read_zip64(const ZipBytes& zip, std::size_t extra, std::size_t length,
                std::initializer_list<std::uint64_t*> numbers) {
  for (std::size_t at = extra; at + 4 <= extra + length;) {
    const std::uint64_t id = zip.number(at, 2), size = zip.number(at + 2, 2);
    std::size_t place = at + 4;
    if (id == 1)
      for (std::uint64_t* number : numbers)
        if (*number == 0xffffffffu && place + 8 <= at + 4 + size) {
          *number = zip.number(place, 8);
          place += 8;
        }
    at += 4 + size;
  }
}

}  // namespace

std::vector<NpzMember> list_npz(std::string_view archive, const std::string& name) {
  const ZipBytes zip(archive, name);
  const Directory directory = find_directory(zip, name);
  std::vector<NpzMember> members;
  std::uint64_t at = directory.offset;
  for (std::uint64_t e = 0; e < directory.entries; ++e) {
    if (zip.slice(at, 4) != std::string_view("PK\x01\x02", 4)) refuse(name, "its directory is damaged");
    const std::uint64_t flags = zip.number(at + 8, 2), method = zip.number(at + 10, 2);
    std::uint64_t packed = zip.number(at + 20, 4), size = zip.number(at + 24, 4), offset = zip.number(at + 42, 4);
    const std::uint64_t name_length = zip.number(at + 28, 2), extra_length = zip.number(at + 30, 2);
    NpzMember member;
    member.name = zip.slice(at + 46, name_length);
    member.crc = static_cast<std::uint32_t>(zip.number(at + 16, 4));
    read_zip64(zip, at + 46 + name_length, extra_length, {&size, &packed, &offset});
    at += 46 + name_length + extra_length + zip.number(at + 32, 2);
    if ((flags & 1) != 0 || (method != 0 && method != 8))
      refuse(name, fmt::format("'{}' is encrypted or packed by another method than deflate", member.name));
    if (zip.slice(offset, 4) != std::string_view("PK\x03\x04", 4)) refuse(name, "its directory is damaged");
    const std::uint64_t begin = offset + 30 + zip.number(offset + 26, 2) + zip.number(offset + 28, 2);
    member.stored = zip.slice(begin, packed);
    member.deflated = method == 8;
    member.size = size;
    if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
    members.push_back(std::move(member));
  }
  if (members.empty()) refuse(name, "it holds no arrays");
  return members;
}

std::string unpack(const NpzMember& member, const std::string& name) {
  // Deflate packs at most 1032 to 1: a larger claim is a damaged or hostile archive, not worth its memory.
  if (member.size / 1040 > member.stored.size() ||
      (member.deflated && member.stored.size() > std::numeric_limits<uInt>::max()))
    refuse(name, fmt::format("'{}' has an impossible size", member.name));
  std::string bytes(member.deflated ? member.size : 0, '\0');
  if (!member.deflated) {
    bytes = member.stored;
  } else {
    z_stream stream{};
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("zlib did not start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.stored.data()));
    stream.avail_in = static_cast<uInt>(member.stored.size());
    int status = Z_OK;
    for (std::size_t done = 0; status == Z_OK && done < bytes.size(); done = stream.total_out) {
      stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
      stream.avail_out = static_cast<uInt>(std::min<std::size_t>(bytes.size() - done, 1u << 30));
      status = ::inflate(&stream, Z_NO_FLUSH);
    }
    const bool complete = stream.total_out == bytes.size() && (status == Z_OK || status == Z_STREAM_END);
    ::inflateEnd(&stream);
    if (!complete) refuse(name, fmt::format("'{}' does not unpack", member.name));
  }
  if (bytes.size() != member.size) refuse(name, fmt::format("'{}' does not unpack", member.name));
  uLong crc = ::crc32(0, nullptr, 0);
  for (std::size_t at = 0; at < bytes.size(); at += 1u << 30)
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at),
                  static_cast<uInt>(std::min<std::size_t>(bytes.size() - at, 1u << 30)));
  if (crc != member.crc) refuse(name, fmt::format("'{}' is damaged: its checksum does not agree", member.name));
  return bytes;
}

}  // namespace macmi::data
