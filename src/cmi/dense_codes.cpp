#include "cmi/dense_codes.hpp"

#include <algorithm>

namespace macmi::estimation {
namespace {

/// Numbers the keys 0, 1, … in increasing order, in place; returns how many there are.
std::size_t number_in_order(std::vector<std::uint64_t>& keys) {
  const auto [low, high] = std::minmax_element(keys.begin(), keys.end());
  const std::uint64_t least = *low, span = *high - least;
  if (span < 4 * keys.size() + 1024) {  // a table of all of them is smaller than the columns
    std::vector<std::uint32_t> number(span + 1);
    for (const std::uint64_t key : keys) number[key - least] = 1;
    std::uint32_t next = 0;
    for (std::uint32_t& there : number) there = there ? next++ : 0;
    for (std::uint64_t& key : keys) key = number[key - least];
    return next;
  }
  std::vector<std::uint64_t> distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::uint64_t& key : keys)
    key = static_cast<std::uint64_t>(std::lower_bound(distinct.begin(), distinct.end(), key) - distinct.begin());
  return distinct.size();
}

}  // namespace

std::vector<std::int32_t> dense_codes(std::span<const CategoricalColumn> columns, std::size_t n) {
  if (columns.empty()) return {};
  std::vector<std::uint64_t> combined(n), column(n);
  for (const CategoricalColumn& c : columns) {
    for (std::size_t i = 0; i < n; ++i) column[i] = static_cast<std::uint64_t>(std::int64_t{c[i]} + (1LL << 31));
    const std::size_t levels = number_in_order(column);
    for (std::size_t i = 0; i < n; ++i) combined[i] = combined[i] * levels + column[i];
    number_in_order(combined);
  }
  return {combined.begin(), combined.end()};
}

}  // namespace macmi::estimation
