#include "data/samples/samples.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.hpp"

namespace macmi::data {

Samples Samples::only(const std::vector<std::size_t>& kept) const {
  Samples result;
  result.steps = steps;
  result.rows.reserve(kept.size() * steps);
  for (const std::size_t s : kept) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(s * steps);
    result.rows.insert(result.rows.end(), begin, begin + static_cast<std::ptrdiff_t>(steps));
    if (!units.empty()) result.units.push_back(units[s]);
  }
  return result;
}

Samples rows_as_samples(std::size_t rows) {
  Samples samples;
  samples.rows.resize(rows);
  std::iota(samples.rows.begin(), samples.rows.end(), std::int64_t{0});
  return samples;
}

namespace {

/// Seats of `total` for classes of these sizes, by largest remainders; every class gets one while seats last.
std::map<std::int32_t, std::size_t> apportion(const std::map<std::int32_t, std::size_t>& sizes, std::size_t total,
                                              std::size_t all) {
  std::map<std::int32_t, std::size_t> seats;
  std::vector<std::pair<double, std::int32_t>> remainders;
  std::size_t given = 0;
  for (const auto& [label, size] : sizes) {
    const double share = static_cast<double>(size) * static_cast<double>(total) / static_cast<double>(all);
    seats[label] = static_cast<std::size_t>(share);
    remainders.emplace_back(static_cast<double>(seats[label]) - share, label);
    if (seats[label] == 0) seats[label] = 1, remainders.back().first = 1;
    given += seats[label];
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; given < total && i < remainders.size(); ++i) {
    std::size_t& seat = seats[remainders[i].second];
    if (seat < sizes.at(remainders[i].second)) ++seat, ++given;
  }
  while (given > total) {  // the guaranteed seats of rare classes come from the largest
    auto largest =
        std::max_element(seats.begin(), seats.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (largest->second <= 1) break;
    --largest->second, --given;
  }
  return seats;
}

}  // namespace

std::vector<std::size_t> draw_samples(const Samples& samples, const std::vector<std::int32_t>& classes,
                                      std::size_t count, std::uint64_t seed) {
  const base::StreamKey key = base::StreamKey(seed).with("rows");
  std::map<std::int32_t, std::vector<std::pair<std::uint64_t, std::size_t>>> lots;  // class -> (lot, sample)
  std::map<std::int32_t, std::size_t> sizes;
  for (std::size_t s = 0, copy = 0; s < samples.count(); ++s) {
    const std::size_t row = samples.last_row(s);
    copy = s > 0 && row == samples.last_row(s - 1) ? copy + 1 : 0;
    const base::StreamKey lot = copy == 0 ? key.with(row) : key.with(row).with(copy);
    const std::int32_t label = classes.empty() ? 0 : classes[s];
    lots[label].emplace_back(lot.value(), s);
    ++sizes[label];
  }
  const auto seats = apportion(sizes, count, samples.count());
  std::vector<std::size_t> drawn;
  for (auto& [label, tickets] : lots) {
    const auto cut = tickets.begin() + static_cast<std::ptrdiff_t>(std::min(seats.at(label), tickets.size()));
    std::nth_element(tickets.begin(), cut, tickets.end());
    for (auto ticket = tickets.begin(); ticket != cut; ++ticket) drawn.push_back(ticket->second);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace macmi::data
