#include "interactions/bit_columns.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi::interactions {

BitColumns::BitColumns(const QuantisedSamples& samples, std::span<const std::uint8_t> target, const LogTable& table)
    : columns(samples.columns.size()), groups((columns + columns_together - 1) / columns_together) {
  const std::size_t n = target.size();
  std::size_t size[classes] = {};
  for (const std::uint8_t c : target) ++size[c];
  first_word[0] = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    class_size[c] = static_cast<std::int32_t>(size[c]);
    first_word[c + 1] = first_word[c] + (size[c] + 63) / 64;
  }
  std::vector<std::size_t> place(n);  // of each sample's bit
  std::size_t next[classes];
  for (std::size_t c = 0; c < classes; ++c) next[c] = 64 * first_word[c];
  for (std::size_t i = 0; i < n; ++i) place[i] = next[target[i]]++;

  bits.assign(groups * planes * words() * columns_together, 0);
  counts.assign(classes * most_levels * padded(), 0);
  level_counts.assign(padded(), 0);
  alone_quarters.assign(padded(), 0);
  alone_halves.assign(padded(), 0);
  for (std::size_t column = 0; column < columns; ++column) {
    const Levels& levels = samples.columns[column];
    level_counts[column] = static_cast<std::uint8_t>(level_count(levels));
    std::uint64_t* first = bits.data() + column / columns_together * planes * words() * columns_together;
    for (std::size_t i = 0; i < n; ++i) {
      ++counts_of(target[i], levels[i])[column];
      if (levels[i] == 0) continue;
      const std::size_t word = (levels[i] - 1u) * words() + place[i] / 64;
      first[word * columns_together + column % columns_together] |= std::uint64_t{1} << place[i] % 64;
    }
    // Σ c(n_ay) - Σ c(n_a), by quarters and by halves.
    std::uint32_t quarters = 0, halves = 0;
    std::size_t of_level[most_levels] = {}, of_half[2] = {}, of_both[2][2] = {};
    for (std::size_t c = 0; c < classes; ++c)
      for (std::size_t level = 0; level < most_levels; ++level) {
        const auto m = static_cast<std::size_t>(counts_of(c, level)[column]);
        quarters += table[m];
        of_level[level] += m, of_half[level / 2] += m, of_both[level / 2][c / 2] += m;
      }
    for (const std::size_t m : of_level) quarters -= table[m];
    for (std::size_t half = 0; half < 2; ++half)
      halves += table[of_both[half][0]] + table[of_both[half][1]] - table[of_half[half]];
    alone_quarters[column] = static_cast<std::int32_t>(quarters);
    alone_halves[column] = static_cast<std::int32_t>(halves);
  }
  for (std::size_t c = 0; c < classes; ++c)  // empty columns have one level
    for (std::size_t column = columns; column < padded(); ++column) counts_of(c, 0)[column] = class_size[c];
  std::uint32_t of_classes = 0;
  for (const std::size_t m : size) of_classes += table[m];
  of_target_quarters = static_cast<std::int32_t>(of_classes - table[n]);
  of_target_halves = static_cast<std::int32_t>(table[size[0] + size[1]] + table[size[2] + size[3]] - table[n]);
}

std::vector<PairHit> scan_pairs(const QuantisedSamples& samples, std::span<const std::uint8_t> target,
                                const LogTable& table, const PairCuts& cuts, std::size_t threads,
                                const std::function<bool(std::size_t columns)>& go_on) {
  const BitColumns columns(samples, target, table);
  std::vector<std::vector<PairHit>> hits(columns.columns);
  std::mutex one_at_a_time;
  std::size_t done = 0;
  bool stopped = false;
  base::parallel_for(columns.columns, 16, threads, [&](std::size_t begin, std::size_t end) {
    {
      const std::lock_guard lock(one_at_a_time);
      stopped = stopped || (go_on && !go_on(done));
      if (stopped) throw Cancelled();
      done += end - begin;
    }
    GroupSums sums;
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t group = (a + 1) / columns_together; group < columns.groups; ++group) {
        sum_group(columns, table, a, group, sums);
        const std::size_t first = group * columns_together;
        for (std::size_t b = std::max(a + 1, first); b < std::min(columns.columns, first + columns_together); ++b) {
          const PairSums pair{sums.quarters[b - first], sums.halves[b - first]};
          const std::int32_t cut = cuts.quarters[columns.level_counts[a]][columns.level_counts[b]];
          if ((pair.quarters >= cut || pair.halves >= cuts.halves) && samples.feature[a] != samples.feature[b])
            hits[a].push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), pair});
        }
      }
  });
  std::vector<PairHit> all;
  for (const auto& of_column : hits) all.insert(all.end(), of_column.begin(), of_column.end());
  return all;
}

}  // namespace macmi::interactions
