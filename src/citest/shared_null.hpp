#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "citest/fold_test.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// The permuted statistics of two single columns with nothing given. They depend on how often each value occurs and on
/// nothing else, and ranks of numbers without ties are 0 … n-1 whatever the numbers: all such columns have one null
/// distribution in common. A search over a thousand columns draws it once.
class SharedNull {
 public:
  /// `x` and `y` are columns with the wanted values in any order; they are copied.
  SharedNull(const Variable& x, const Variable& y, const TestOptions& options, TieRule ties, WideLook look,
             const base::StreamKey& stream);

  /// As Fold::permuted. What was drawn for one test is kept for the next. Thread-safe.
  std::vector<double> permuted(std::uint64_t first, std::size_t count);

 private:
  std::vector<double> x_numbers_, y_numbers_;
  std::vector<std::int32_t> x_labels_, y_labels_;
  std::mutex mutex_;
  FoldTest fold_;
  std::vector<double> drawn_;  ///< the statistics of permutations 0, 1, …
};

/// The name of the null distribution that a column shares with others: "numbers" without ties, or the sizes of its
/// classes. Empty: it has ties, or several columns, and shares none.
std::string shared_kind(const Variable& column);

}  // namespace macmi::citest
