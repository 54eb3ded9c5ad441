#include "citest/engines/slice_choices.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/parallel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/engines/slice_choices.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef MACMI_CITEST_SLICE_CHOICES
#define MACMI_CITEST_SLICE_CHOICES
namespace macmi::citest {

/// Samples with more sources than this, or with more on average, are left to the lanes.
inline constexpr std::size_t most_choices = 24;
inline constexpr double most_on_average = 9;

/// The sources of one sample, as they turn up.
struct KnownSources {
  std::array<std::uint32_t, most_choices> source;
  std::size_t count = 0;
};

/// Permutations [lane][sample]. Samples are visited a tile at a time: what a cache line holds of a lane is used at
/// once.
struct SourceTable {
  const std::uint32_t* source;
  std::size_t n, lanes;
  static constexpr std::size_t tile = 16;
};

}  // namespace macmi::citest
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U32 = hn::CappedTag<std::uint32_t, 16>;

/// The sources of one sample in a vector of lanes.
HWY_INLINE hn::Vec<U32> sources_of(const SourceTable& table, std::size_t sample, std::size_t lane) {
  const U32 tag;
  const hn::RebindToSigned<U32> index;
  const auto lanes = hn::Min(hn::Iota(index, 0), hn::Set(index, static_cast<std::int32_t>(table.lanes - lane) - 1));
  return hn::GatherIndex(tag, table.source + lane * table.n + sample,
                         hn::Mul(lanes, hn::Set(index, static_cast<std::int32_t>(table.n))));
}

/// Notes the sources of samples begin … end-1; false if one has too many.
bool NoteSources(const SourceTable& table, std::size_t begin, std::size_t end, KnownSources* known) {
  const U32 tag;
  HWY_ALIGN std::uint32_t values[16];
  for (std::size_t lane = 0; lane < table.lanes; lane += hn::Lanes(tag))
    for (std::size_t j = begin; j < end; ++j) {
      KnownSources& mine = known[j];
      const auto source = sources_of(table, j, lane);
      auto found = hn::Zero(tag);
      for (std::size_t c = 0; c < mine.count; ++c)
        found = hn::Or(found, hn::VecFromMask(tag, hn::Eq(source, hn::Set(tag, mine.source[c]))));
      if (HWY_LIKELY(hn::AllFalse(tag, hn::Eq(found, hn::Zero(tag))))) continue;
      hn::Store(source, tag, values);
      for (std::size_t l = 0; l < hn::Lanes(tag); ++l) {
        const auto last = mine.source.begin() + static_cast<std::ptrdiff_t>(mine.count);
        if (std::find(mine.source.begin(), last, values[l]) != last) continue;
        if (mine.count == most_choices) return false;
        mine.source[mine.count++] = values[l];
      }
    }
  return true;
}

/// Writes the masks of the choices of samples begin … end-1.
void WriteMasks(const SourceTable& table, std::size_t begin, std::size_t end, Choices* choices) {
  const U32 tag;
  for (std::size_t first = 0; first < table.lanes; first += 64) {
    std::uint64_t* words =
        choices->masks.data() + first / slice_lanes * choices->source.size() * slice_words + first % slice_lanes / 64;
    for (std::size_t j = begin; j < end; ++j)
      for (std::size_t lane = first; lane < std::min(first + 64, table.lanes); lane += hn::Lanes(tag)) {
        const auto source = sources_of(table, j, lane);
        const auto real = hn::FirstN(tag, table.lanes - lane);
        for (std::size_t c = choices->first[j]; c < choices->first[j + 1]; ++c) {
          std::uint8_t bytes[8] = {};
          hn::StoreMaskBits(tag, hn::And(real, hn::Eq(source, hn::Set(tag, choices->source[c]))), bytes);
          const std::uint64_t bits = bytes[0] | static_cast<std::uint64_t>(bytes[1]) << 8;
          words[c * slice_words] |= bits << (lane - first);
        }
      }
  }
}

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(NoteSources);
HWY_EXPORT(WriteMasks);

std::optional<Choices> find_choices(std::span<const std::uint32_t> sources, std::size_t n, std::size_t threads) {
  const SourceTable table{sources.data(), n, sources.size() / n};
  if (n >= Choices::most_numbers) return std::nullopt;
  const auto for_tiles = [&](auto visit) {
    base::parallel_for((n + SourceTable::tile - 1) / SourceTable::tile, 8, threads,
                       [&](std::size_t first, std::size_t last) {
                         for (std::size_t t = first; t < last; ++t)
                           visit(t * SourceTable::tile, std::min(n, (t + 1) * SourceTable::tile));
                       });
  };
  std::vector<KnownSources> known(n);
  std::atomic<bool> too_many = false;
  for_tiles([&](std::size_t begin, std::size_t end) {
    if (!too_many && !HWY_DYNAMIC_DISPATCH(NoteSources)(table, begin, end, known.data())) too_many = true;
  });
  if (too_many) return std::nullopt;

  Choices choices;
  choices.first.assign(1, 0);
  for (const KnownSources& k : known) {
    choices.source.insert(choices.source.end(), k.source.begin(),
                          k.source.begin() + static_cast<std::ptrdiff_t>(k.count));
    choices.first.push_back(static_cast<std::uint32_t>(choices.source.size()));
    choices.most = std::max(choices.most, k.count);
  }
  if (choices.mean() > most_on_average || choices.source.size() >= Choices::most_numbers) return std::nullopt;
  choices.batches = (table.lanes + slice_lanes - 1) / slice_lanes;
  choices.masks.assign(choices.batches * choices.source.size() * slice_words, 0);
  for_tiles([&](std::size_t begin, std::size_t end) { HWY_DYNAMIC_DISPATCH(WriteMasks)(table, begin, end, &choices); });
  return choices;
}

}  // namespace macmi::citest
#endif
