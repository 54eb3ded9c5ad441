#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "interactions/quantised.hpp"

namespace macmi::interactions {

/// m ln m for m = 0 … n in fixed point, so that sums of them are whole numbers, the same in any order. Values are kept
/// modulo 2³²: sums may run over on the way, and their end, n times at most ln 4 nats either way, fits.
class LogTable {
 public:
  explicit LogTable(std::size_t n);
  const std::int32_t* data() const { return values_.data(); }
  std::uint32_t operator[](std::size_t m) const { return static_cast<std::uint32_t>(values_[m]); }
  double to_nats(std::int32_t sum) const;
  /// The smallest sum that is at least this much.
  std::int32_t from_nats(double nats) const;

 private:
  std::vector<std::int32_t> values_;
  int bits_;
};

/// The information of two columns together about the target beyond what both tell alone,
/// n [I(A,B; Y) - I(A; Y) - I(B; Y)], in the unit of a LogTable: by four levels of each and of the target, and by the
/// halves of all three.
struct PairSums {
  std::int32_t quarters = 0, halves = 0;
  bool operator==(const PairSums&) const = default;
};

/// The definition: counts the samples in every cell. O(n).
PairSums plain_pair(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                    std::span<const std::uint8_t> target, const LogTable& table);

/// From where on a pair is worth to be listed.
struct PairCuts {
  std::int32_t quarters[most_levels + 1][most_levels + 1] = {};  ///< by the numbers of levels of both columns
  std::int32_t halves = 0;
};

struct PairHit {
  std::uint32_t a = 0, b = 0;  ///< columns, a < b
  PairSums sums;
  bool operator==(const PairHit&) const = default;
};

/// Every pair of columns of different features that reaches either of its cuts, in the order of a and b.
/// `go_on` is told of the columns that are done, one call at a time, and ends the scan with Cancelled by false.
///
/// Columns are bit sets, samples of one class of the target after the other, so that one pass over the words counts all
/// classes; eight columns lie side by side in vectors. Of 16 cells nine are counted, the others follow from margins.
/// O(n / 64) operations a pair; the same bits for any number of threads and any instruction set.
std::vector<PairHit> scan_pairs(const QuantisedSamples& samples, std::span<const std::uint8_t> target,
                                const LogTable& table, const PairCuts& cuts, std::size_t threads,
                                const std::function<bool(std::size_t columns)>& go_on = {});

/// The same by plain_pair(), for tests and the bench.
std::vector<PairHit> plain_scan(const QuantisedSamples& samples, std::span<const std::uint8_t> target,
                                const LogTable& table, const PairCuts& cuts);

}  // namespace macmi::interactions
