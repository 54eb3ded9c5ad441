#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace macmi::citest {

/// Lattice values in increasing order, and how many are below any number: by table where the range allows it, else by
/// bisection within a bucket of the range, of which there are at least as many as values.
class SortedValues {
 public:
  explicit SortedValues(std::vector<std::int32_t> values) : sorted_(std::move(values)) {
    std::sort(sorted_.begin(), sorted_.end());
    const std::int32_t span = sorted_.back() - sorted_.front();
    while (static_cast<std::size_t>(span >> shift_) >= std::max(exact_table, sorted_.size())) ++shift_;
    fenced_.push_back(-far);
    fenced_.insert(fenced_.end(), sorted_.begin(), sorted_.end());
    fenced_.insert(fenced_.end(), 64, far);  // room for vector loads beyond the end
    first_.assign(static_cast<std::size_t>((span + 1) >> shift_) + 2, 0);
    for (const std::int32_t v : sorted_) ++first_[static_cast<std::size_t>((v - sorted_.front()) >> shift_) + 1];
    for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(sorted_.size()); }
  std::int32_t operator[](std::size_t rank) const { return fenced_[rank + 1]; }
  const std::int32_t* data() const { return fenced_.data() + 1; }
  /// The value before a rank; far below all values for rank 0. The one at rank size() is far above.
  std::int32_t before(std::size_t rank) const { return fenced_[rank]; }

  /// Ranks [below(a), below(b + 1)) are those of the values from a to b.
  [[gnu::always_inline]] std::uint32_t below(std::int32_t v) const {
    const std::int32_t low = sorted_.front(), offset = std::clamp(v - low, 0, sorted_.back() - low + 1);
    const std::size_t bucket = static_cast<std::size_t>(offset >> shift_);
    return shift_ == 0 ? first_[bucket] : bisect(bucket, low + offset);
  }

 private:
  std::uint32_t bisect(std::size_t bucket, std::int32_t v) const {
    const std::int32_t* at = sorted_.data() + first_[bucket];
    std::size_t rest = first_[bucket + 1] - first_[bucket];
    while (rest > 0) {
      const std::size_t half = rest / 2;
      const bool right = at[half] < v;
      at = right ? at + half + 1 : at;
      rest = right ? rest - half - 1 : half;
    }
    return static_cast<std::uint32_t>(at - sorted_.data());
  }

  static constexpr std::size_t exact_table = 1 << 16;
  static constexpr std::int32_t far = std::int32_t{1} << 30;
  std::vector<std::int32_t> sorted_, fenced_;
  std::vector<std::uint32_t> first_;  ///< rank of the first value of each bucket
  int shift_ = 0;
};

/// The samples in increasing order of a column; equal values in the order of the samples.
inline std::vector<std::uint32_t> ranking(const std::vector<std::int32_t>& column) {
  std::vector<std::uint32_t> order(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
  return order;
}

/// rank[order[r]] = r.
inline std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<std::uint32_t>(r);
  return rank;
}

}  // namespace macmi::citest
