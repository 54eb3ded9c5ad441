#include "citest/table_fold.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "cmi/table_counts.hpp"

namespace macmi::citest {
namespace {

std::size_t largest_stratum(const StratifiedTable& table) {
  std::size_t largest = 0;
  for (const auto& stratum : table.strata()) largest = std::max<std::size_t>(largest, stratum.samples);
  return largest;
}

/// Codes are dense.
bool is_constant(const knn::Block& block) {
  return std::all_of(block.category.begin(), block.category.end(), [](std::int32_t c) { return c == 0; });
}

}  // namespace

TableFold::TableFold(const knn::JointSample& sample, WideLook wide, std::size_t threads, const base::StreamKey& stream)
    : n_(sample.n),
      threads_(threads),
      constant_(is_constant(sample.x) || is_constant(sample.y)),
      stream_(stream),
      information_(estimation::table_information(sample)),
      table_(sample),
      draws_(largest_stratum(table_)),
      log_(FixedPsi::logarithms(n_)),
      weighted_(largest_stratum(table_) + 1),
      look_(wide) {
  for (std::size_t m = 1; m < weighted_.size(); ++m) weighted_[m] = static_cast<std::int64_t>(m) * log_[m];
  for (const auto& stratum : table_.strata()) {
    margins_ += weighted_[stratum.samples];
    for (const auto& level : stratum.rows) margins_ -= weighted_[level.samples];
    for (const auto& level : stratum.columns) margins_ -= weighted_[level.samples];
  }
  if (look_ != WideLook::none)
    wide_.emplace(table_, LevelColumns(sample.x.category, most_wide_columns(n_)),
                  LevelColumns(sample.y.category, most_wide_columns(n_)));
  std::int64_t cells = 0;
  std::vector<std::uint32_t> pooled(wide_ ? wide_->places() : 0);
  table_.each_cell([&](std::uint32_t x, std::uint32_t y, std::uint32_t count) {
    cells += weighted_[count];
    if (wide_) pooled[wide_->place(x, y)] += count;
  });
  observed_.resize(scales());
  evaluate(cells, pooled, observed_.data());
}

void TableFold::evaluate(std::int64_t cells, std::span<const std::uint32_t> pooled, double* scales) const {
  scales[0] = log_.to_nats(margins_ + cells) / static_cast<double>(n_);
  if (look_ == WideLook::correlation) scales[1] = wide_->signed_correlation(pooled);
  if (look_ == WideLook::trace) scales[1] = root_of_trace(wide_->of(pooled));
}

std::vector<double> TableFold::drawn(std::uint64_t first, std::size_t count) const {
  std::vector<double> values(count * scales());
  base::parallel_for(count, 16, threads_, [&](std::size_t begin, std::size_t end) {
    TableDraws::Scratch scratch;
    std::vector<std::uint32_t> pooled(wide_ ? wide_->places() : 0);
    for (std::size_t b = begin; b < end; ++b) {
      base::RandomStream random(stream_.with(first + b));
      std::int64_t cells = 0;
      std::fill(pooled.begin(), pooled.end(), 0U);
      for (const auto& stratum : table_.strata())
        draws_.draw(stratum, random, scratch, [&](std::size_t row, std::size_t column, std::uint32_t samples) {
          cells += weighted_[samples];
          if (wide_) pooled[wide_->place(stratum.rows[row].code, stratum.columns[column].code)] += samples;
        });
      evaluate(cells, pooled, values.data() + b * scales());
    }
  });
  return values;
}

std::vector<double> TableFold::permuted_correlations(std::size_t count) const {
  const std::vector<double> values = drawn(0, count);
  std::vector<double> last;
  for (std::size_t b = 0; b < count; ++b) last.push_back(values[b * scales() + scales() - 1]);
  return last;
}

}  // namespace macmi::citest
