#include "interactions/bit_columns.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "interactions/pair_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#ifndef MACMI_INTERACTIONS_PAIR_COUNTS
#define MACMI_INTERACTIONS_PAIR_COUNTS
namespace macmi::interactions {

/// Samples of each class in the nine cells of levels 1 to 3 of one column with eight others: [class][3 a + b][column].
struct PairCounts {
  alignas(64) std::int32_t cell[BitColumns::classes][BitColumns::planes * BitColumns::planes][columns_together];
};

}  // namespace macmi::interactions
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::interactions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPlanes = BitColumns::planes, kCells = kPlanes * kPlanes;

#if HWY_TARGET == HWY_SCALAR

void CountPairs(const BitColumns& columns, std::size_t a, std::size_t group, PairCounts& counts) {
  for (std::size_t c = 0; c < BitColumns::classes; ++c)
    for (std::size_t cell = 0; cell < kCells; ++cell)
      for (std::size_t b = 0; b < columns_together; ++b) {
        const std::uint64_t* x = columns.words_of(a / columns_together, cell / kPlanes) + a % columns_together;
        const std::uint64_t* y = columns.words_of(group, cell % kPlanes) + b;
        int count = 0;
        for (std::size_t w = columns.first_word[c]; w < columns.first_word[c + 1]; ++w)
          count += std::popcount(x[w * columns_together] & y[w * columns_together]);
        counts.cell[c][cell][b] = count;
      }
}

#else

using Words = hn::CappedTag<std::uint64_t, columns_together>;
using Bytes = hn::Repartition<std::uint8_t, Words>;
using Counts = hn::Rebind<std::uint32_t, Words>;

/// A byte holds the bits of 31 words.
constexpr std::size_t kWordsAByte = 31;

/// The counts of one class for the columns of the group from `lane` on, as many as a vector holds.
HWY_INLINE void CountClass(const BitColumns& columns, std::size_t a, std::size_t group, std::size_t c, std::size_t lane,
                           PairCounts& counts) {
  const Words words;
  const Bytes bytes;
  const std::uint64_t *x[kPlanes], *y[kPlanes];
  for (std::size_t s = 0; s < kPlanes; ++s) {
    x[s] = columns.words_of(a / columns_together, s) + a % columns_together;
    y[s] = columns.words_of(group, s) + lane;
  }
  hn::Vec<Words> sum[kCells];
  for (auto& s : sum) s = hn::Zero(words);
  const std::size_t end = columns.first_word[c + 1];
  for (std::size_t begin = columns.first_word[c]; begin < end; begin += kWordsAByte) {
    hn::Vec<Bytes> few[kCells];
    for (auto& f : few) f = hn::Zero(bytes);
    for (std::size_t w = begin; w < std::min(end, begin + kWordsAByte); ++w) {
      hn::Vec<Words> others[kPlanes];
      for (std::size_t t = 0; t < kPlanes; ++t) others[t] = hn::LoadU(words, y[t] + w * columns_together);
      for (std::size_t s = 0; s < kPlanes; ++s) {
        const auto own = hn::Set(words, x[s][w * columns_together]);
        for (std::size_t t = 0; t < kPlanes; ++t) {
          const auto both = hn::BitCast(bytes, hn::And(own, others[t]));
          few[s * kPlanes + t] = hn::Add(few[s * kPlanes + t], hn::PopulationCount(both));
        }
      }
    }
    for (std::size_t cell = 0; cell < kCells; ++cell) sum[cell] = hn::Add(sum[cell], hn::SumsOf8(few[cell]));
  }
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    auto* place = reinterpret_cast<std::uint32_t*>(counts.cell[c][cell] + lane);
    hn::StoreU(hn::TruncateTo(Counts(), sum[cell]), Counts(), place);
  }
}

void CountPairs(const BitColumns& columns, std::size_t a, std::size_t group, PairCounts& counts) {
  for (std::size_t c = 0; c < BitColumns::classes; ++c)
    for (std::size_t lane = 0; lane < columns_together; lane += hn::Lanes(Words()))
      CountClass(columns, a, group, c, lane, counts);
}

#endif

using Ints = hn::CappedTag<std::int32_t, columns_together>;
using IntVector = hn::Vec<Ints>;

/// Σ of m ln m over cells.
struct LogSum {
  const std::int32_t* table;
  IntVector sum;
  HWY_INLINE void add(IntVector m) { sum = hn::Add(sum, hn::GatherIndex(Ints(), table, m)); }
  HWY_INLINE void subtract(IntVector m) { sum = hn::Sub(sum, hn::GatherIndex(Ints(), table, m)); }
};

/// A table of halves: the other three cells follow from the upper one and the margins.
HWY_INLINE void AddHalves(IntVector both, IntVector a, IntVector b, IntVector all, LogSum& sum) {
  const IntVector only_a = hn::Sub(a, both), only_b = hn::Sub(b, both);
  sum.add(both);
  sum.add(only_a);
  sum.add(only_b);
  sum.add(hn::Sub(hn::Sub(all, a), only_b));
}

/// From counts to the sums of eight pairs, as many of them at once as a vector holds.
void SumPairs(const BitColumns& columns, const std::int32_t* table, std::size_t a, std::size_t group,
              const PairCounts& counts, GroupSums& sums) {
  const Ints ints;
  for (std::size_t lane = 0; lane < columns_together; lane += hn::Lanes(ints)) {
    const std::size_t b = group * columns_together + lane;
    LogSum quarters{table, hn::Zero(ints)}, halves{table, hn::Zero(ints)};
    IntVector over_classes[most_levels][most_levels], both[2], upper_a[2], upper_b[2], all[2];
    for (auto& row : over_classes)
      for (auto& cell : row) cell = hn::Zero(ints);
    for (std::size_t h = 0; h < 2; ++h) both[h] = upper_a[h] = upper_b[h] = all[h] = hn::Zero(ints);
    for (std::size_t c = 0; c < BitColumns::classes; ++c) {
      if (columns.class_size[c] == 0) continue;
      IntVector cell[most_levels][most_levels], of_b[most_levels];
      for (std::size_t t = 0; t < most_levels; ++t) cell[0][t] = of_b[t] = hn::LoadU(ints, columns.counts_of(c, t) + b);
      for (std::size_t s = 1; s < most_levels; ++s) {
        cell[s][0] = hn::Set(ints, columns.counts_of(c, s)[a]);
        for (std::size_t t = 1; t < most_levels; ++t) {
          cell[s][t] = hn::LoadU(ints, counts.cell[c][(s - 1) * kPlanes + t - 1] + lane);
          cell[s][0] = hn::Sub(cell[s][0], cell[s][t]);
          cell[0][t] = hn::Sub(cell[0][t], cell[s][t]);
        }
        cell[0][0] = hn::Sub(cell[0][0], cell[s][0]);
      }
      for (std::size_t s = 0; s < most_levels; ++s)
        for (std::size_t t = 0; t < most_levels; ++t) {
          quarters.add(cell[s][t]);
          over_classes[s][t] = hn::Add(over_classes[s][t], cell[s][t]);
        }
      const std::size_t h = c / 2;
      both[h] = hn::Add(both[h], hn::Add(hn::Add(cell[2][2], cell[2][3]), hn::Add(cell[3][2], cell[3][3])));
      upper_a[h] = hn::Add(upper_a[h], hn::Set(ints, columns.counts_of(c, 2)[a] + columns.counts_of(c, 3)[a]));
      upper_b[h] = hn::Add(upper_b[h], hn::Add(of_b[2], of_b[3]));
      all[h] = hn::Add(all[h], hn::Set(ints, columns.class_size[c]));
    }
    for (auto& row : over_classes)
      for (auto& cell : row) quarters.subtract(cell);
    for (std::size_t h = 0; h < 2; ++h) AddHalves(both[h], upper_a[h], upper_b[h], all[h], halves);
    LogSum without_target{table, hn::Zero(ints)};
    AddHalves(hn::Add(both[0], both[1]), hn::Add(upper_a[0], upper_a[1]), hn::Add(upper_b[0], upper_b[1]),
              hn::Add(all[0], all[1]), without_target);
    const auto of_four = hn::Set(ints, columns.of_target_quarters - columns.alone_quarters[a]);
    const auto of_two = hn::Set(ints, columns.of_target_halves - columns.alone_halves[a]);
    hn::StoreU(hn::Sub(hn::Add(quarters.sum, of_four), hn::LoadU(ints, columns.alone_quarters.data() + b)), ints,
               sums.quarters + lane);
    hn::StoreU(hn::Sub(hn::Sub(hn::Add(halves.sum, of_two), without_target.sum),
                       hn::LoadU(ints, columns.alone_halves.data() + b)),
               ints, sums.halves + lane);
  }
}

void SumGroup(const BitColumns& columns, const std::int32_t* table, std::size_t a, std::size_t group, GroupSums& sums) {
  PairCounts counts;
  CountPairs(columns, a, group, counts);
  SumPairs(columns, table, a, group, counts, sums);
}

}  // namespace macmi::interactions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::interactions {

HWY_EXPORT(SumGroup);

void sum_group(const BitColumns& columns, const LogTable& table, std::size_t a, std::size_t group, GroupSums& sums) {
  HWY_DYNAMIC_DISPATCH(SumGroup)(columns, table.data(), a, group, sums);
}

}  // namespace macmi::interactions
#endif
