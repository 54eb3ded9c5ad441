#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi::run {

/// A finished test as the journal keeps it. It says itself what it belongs to: a record found anywhere can be used.
struct StoredTest {
  std::uint64_t context = 0;  ///< the data, the seed and the options of the test, in one number
  std::string feature;
  std::vector<std::string> given;  ///< sorted
  double seconds = 0;              ///< it took
  CiResult result;
};

/// Bytes that hold every bit of it, with a mark, their length and a checksum.
std::string encode(const StoredTest& test);
/// Nothing when the bytes are not those of a record, whole and undamaged.
std::optional<StoredTest> decode(std::string_view bytes);
/// Every undamaged record within bytes of any kind, a damaged database for instance.
std::vector<StoredTest> find_records(std::string_view bytes);

/// 64 bits that tell contents apart; no protection against intent.
std::uint64_t content_hash(std::string_view bytes);

}  // namespace macmi::run
