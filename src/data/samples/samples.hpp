#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "macmi/data_health.hpp"

namespace macmi::data {

/// The rows of a table that make each sample.
struct Samples {
  std::size_t steps = 1;
  std::vector<std::int64_t> rows;  ///< samples × steps; -1 where a step has no row; the last step of a sample has one
  std::vector<std::string> units;  ///< in long format the name of each sample, with --unit of its unit; else empty

  std::size_t count() const { return rows.size() / steps; }
  std::size_t last_row(std::size_t sample) const { return static_cast<std::size_t>(rows[(sample + 1) * steps - 1]); }
  /// These samples alone, in this order.
  Samples only(const std::vector<std::size_t>& kept) const;
};

/// Every row a sample.
Samples rows_as_samples(std::size_t rows);

/// Long format: one sample per id, the last `window` steps of its rows in order of time (0: all of them, which must be
/// equally many for every id). Times lie on a grid whose step is the smallest distance that occurs; steps without a row
/// are gaps. Units with fewer steps are left out and counted in `health`. Throws InputError for duplicated (id, time),
/// for times off the grid, and for ids or times that are missing.
Samples series_as_samples(const TableColumn& id, const TableColumn& time, std::size_t window, const std::string& source,
                          DataHealth& health);

/// Every row a sample, in the order of time. Throws InputError for times that are missing, and where `one_series` for
/// two rows at one time.
Samples rows_in_time_order(const TableColumn& time, bool one_series, const std::string& source);

/// Frequency weights: samples of one row each, every one as often as its row was observed, copies side by side. Rows of
/// weight 0 are left out. Says so in `health`. Throws InputError naming the first row whose weight is missing, negative
/// or no whole number, and where the rows become too many.
Samples as_often_as_observed(const Samples& samples, const TableColumn& weight, const std::string& source,
                             DataHealth& health);

/// The unit of each row as text. Throws InputError where one is missing.
std::vector<std::string> units_of_rows(const TableColumn& unit, const std::string& source);

/// `count` of the samples, drawn with the seed; each class (codes, all >= 0) in its share and with one sample at least.
/// One class when `classes` is empty. Which rows are drawn depends on nothing but the seed and their row numbers;
/// copies of a row, which stand side by side, are drawn each on its own.
std::vector<std::size_t> draw_samples(const Samples& samples, const std::vector<std::int32_t>& classes,
                                      std::size_t count, std::uint64_t seed);

}  // namespace macmi::data
