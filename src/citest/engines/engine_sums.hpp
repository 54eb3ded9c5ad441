#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// Sums over samples (or places) 0 … count-1, ranges of them on several threads: add(begin, end, sums) adds the terms
/// of a range to sums that begin at zero and have room for `padded` of them. Whole numbers: the order does not matter.
template <class Add>
void sum_in_parallel(std::size_t count, std::size_t grain, std::size_t threads, std::span<StatisticSum> sums,
                     std::size_t padded, Add add) {
  std::fill(sums.begin(), sums.end(), StatisticSum{});
  std::mutex mutex;
  base::parallel_for(count, grain, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<StatisticSum> mine(std::max(padded, sums.size()));
    add(begin, end, mine.data());
    const std::lock_guard lock(mutex);
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s].terms += mine[s].terms;
  });
}

/// Categories as 0, 1, … in the order in which they come.
inline std::vector<std::uint32_t> numbered(const std::vector<std::int32_t>& category) {
  std::map<std::int32_t, std::uint32_t> number;
  std::vector<std::uint32_t> result;
  for (const std::int32_t c : category)
    result.push_back(number.emplace(c, static_cast<std::uint32_t>(number.size())).first->second);
  return result;
}

}  // namespace macmi::citest
