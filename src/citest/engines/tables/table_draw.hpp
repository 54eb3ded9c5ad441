#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/tables/stratified_table.hpp"

namespace macmi::citest {

/// Random tables with the margins of given ones, each as likely as random permutations of x among the samples of a
/// stratum make it: the null distribution of a contingency test, without permuting any sample.
///
/// Given the cells before it, a cell is hypergeometric: of the samples that are left of its row, how many fall in its
/// column, among those that are left of this column and the later ones (Patefield 1981, Applied Statistics 30, 91-97,
/// algorithm AS 159). It is found by adding up probabilities from the mode outwards, about as many as the standard
/// deviation of the cell. Where a stratum has more cells than samples, its labels are dealt out one by one instead,
/// which gives the same distribution: the cost is that of the smaller number.
///
/// Only additions, multiplications, divisions and base/vector/elementary are used, so that a stream of random numbers
/// gives the same tables on every machine.
class TableDraws {
 public:
  explicit TableDraws(std::size_t largest_stratum);

  /// Room to work in, one for each thread.
  struct Scratch {
    std::vector<std::uint32_t> left, labels, seen;
  };

  /// Calls use(row, column, samples) with places in `rows` and `columns` for each cell that has samples.
  template <class Use>
  void draw(const StratifiedTable::Stratum& stratum, base::RandomStream& random, Scratch& scratch, Use use) const {
    if (8 * (stratum.rows.size() - 1) * (stratum.columns.size() - 1) < stratum.samples)
      draw_cells(stratum, random, scratch, use);
    else
      deal_labels(stratum, random, scratch, use);
  }

  /// Of `total` samples of which `marked` are marked, `taken` are taken at random: how many of these are marked.
  std::uint32_t hypergeometric(std::uint32_t total, std::uint32_t marked, std::uint32_t taken,
                               base::RandomStream& random) const;

 private:
  template <class Use>
  void draw_cells(const StratifiedTable::Stratum& stratum, base::RandomStream& random, Scratch& scratch, Use use) const;
  template <class Use>
  void deal_labels(const StratifiedTable::Stratum& stratum, base::RandomStream& random, Scratch& scratch,
                   Use use) const;

  std::vector<double> log_factorial_;
};

template <class Use>
void TableDraws::draw_cells(const StratifiedTable::Stratum& stratum, base::RandomStream& random, Scratch& scratch,
                            Use use) const {
  const std::size_t last = stratum.columns.size() - 1;
  std::vector<std::uint32_t>& left = scratch.left;  // of each column, for this row and the later ones
  left.clear();
  for (const auto& column : stratum.columns) left.push_back(column.samples);
  std::uint32_t total = stratum.samples;
  for (std::size_t r = 0; r + 1 < stratum.rows.size(); ++r) {
    std::uint32_t row = stratum.rows[r].samples, here = total;
    total -= row;
    for (std::size_t c = 0; c < last && row > 0; ++c) {
      const std::uint32_t samples = hypergeometric(here, left[c], row, random);
      here -= left[c];
      left[c] -= samples;
      row -= samples;
      if (samples > 0) use(r, c, samples);
    }
    left[last] -= row;
    if (row > 0) use(r, last, row);
  }
  for (std::size_t c = 0; c <= last; ++c)
    if (left[c] > 0) use(stratum.rows.size() - 1, c, left[c]);
}

template <class Use>
void TableDraws::deal_labels(const StratifiedTable::Stratum& stratum, base::RandomStream& random, Scratch& scratch,
                             Use use) const {
  auto& [left, labels, seen] = scratch;
  labels.clear();
  for (std::uint32_t c = 0; c < stratum.columns.size(); ++c) labels.insert(labels.end(), stratum.columns[c].samples, c);
  left.assign(stratum.columns.size(), 0);  // how many of each label the row has
  std::size_t dealt = 0;
  for (std::size_t r = 0; r < stratum.rows.size(); ++r) {
    seen.clear();
    const bool last = r + 1 == stratum.rows.size();  // takes what is left
    for (std::uint32_t s = 0; s < stratum.rows[r].samples; ++s, ++dealt) {
      if (!last) std::swap(labels[dealt], labels[dealt + random.below(labels.size() - dealt)]);
      if (left[labels[dealt]]++ == 0) seen.push_back(labels[dealt]);
    }
    for (const std::uint32_t c : seen) {
      use(r, std::size_t{c}, left[c]);
      left[c] = 0;
    }
  }
}

}  // namespace macmi::citest
