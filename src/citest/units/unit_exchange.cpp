#include "citest/units/unit_exchange.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/random_permutation.hpp"

namespace macmi::citest {
namespace {

/// Units whose sizes differ by at most this factor are of about one size, where there are enough of them.
constexpr double about_one_size = 1.1;
constexpr std::size_t least_of_one_size = RowUnits::least_exchanged;

/// Groups of neighbours in size. Of the last ones too few are left for a group of their own.
std::vector<std::vector<std::uint32_t>> groups_by_size(const RowUnits& units, bool any_size) {
  std::vector<std::uint32_t> order(units.count());
  std::iota(order.begin(), order.end(), 0U);
  if (any_size) return {order};
  const auto size = [&](std::uint32_t u) { return static_cast<double>(units.rows[u].size()); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size(a) < size(b); });
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const bool full = groups.empty() || (groups.back().size() >= least_of_one_size &&
                                         size(order[place]) > about_one_size * size(groups.back().front()));
    if (full && (groups.empty() || order.size() - place >= least_of_one_size)) groups.emplace_back();
    groups.back().push_back(order[place]);
  }
  return groups;
}

}  // namespace

UnitExchange::UnitExchange(const RowUnits& units, bool constant_within, std::size_t least_shift,
                           const base::StreamKey& stream)

    : units_(units),
      constant_within_(constant_within),
      rearranges_(!constant_within || units.largest() * units.count() == units.samples()),
      stream_(stream) {
  if (units.enough()) groups_ = groups_by_size(units, constant_within);
  const std::size_t n = units.samples();
  if (units.count() != 1 || 2 * least_shift >= n) return;
  base::RandomStream random(stream.with("shifts"));
  shifts_ = base::random_permutation(n - 2 * least_shift + 1, random);
  for (std::uint32_t& shift : shifts_) shift += static_cast<std::uint32_t>(least_shift);
}

std::size_t UnitExchange::most_permutations() const {
  return shifts_.empty() ? std::numeric_limits<std::size_t>::max() : shifts_.size();
}

void UnitExchange::draw(std::uint64_t index, std::span<std::uint32_t> source) const {
  base::RandomStream random(stream_.with(index));
  if (!groups_.empty()) return exchange_units(random, source);
  for (const auto& own : units_.rows) {
    const std::size_t shift = shifts_.empty() ? random.below(own.size()) : shifts_[index % shifts_.size()];
    for (std::size_t j = 0; j < own.size(); ++j) source[own[j]] = own[(j + shift) % own.size()];
  }
}

void UnitExchange::exchange_units(base::RandomStream& random, std::span<std::uint32_t> source) const {
  std::vector<std::uint32_t> lacking, left;
  for (const auto& group : groups_) {
    const std::vector<std::uint32_t> places = base::random_permutation(group.size(), random);
    lacking.clear(), left.clear();
    for (std::size_t g = 0; g < group.size(); ++g) {
      const std::vector<std::uint32_t>&to = units_.rows[group[g]], &from = units_.rows[group[places[g]]];
      if (constant_within_) {
        for (std::size_t j = 0; j < to.size(); ++j) source[to[j]] = from[j % from.size()];
        continue;
      }
      const std::size_t shared = std::min(to.size(), from.size());
      const std::size_t start = from.size() > to.size() ? random.below(from.size()) : 0;
      for (std::size_t j = 0; j < shared; ++j) source[to[j]] = from[(start + j) % from.size()];
      for (std::size_t j = shared; j < from.size(); ++j) left.push_back(from[(start + j) % from.size()]);
      lacking.insert(lacking.end(), to.begin() + static_cast<std::ptrdiff_t>(shared), to.end());
    }
    const std::vector<std::uint32_t> order = base::random_permutation(left.size(), random);
    for (std::size_t j = 0; j < left.size(); ++j) source[lacking[j]] = left[order[j]];
  }
}

double UnitExchange::share_filled() const {
  if (constant_within_) return 0;
  double filled = 0;
  for (const auto& group : groups_) {
    double lacks = 0;  // Σ max(0, size of one - size of the other) over all pairs, sizes ascending
    for (std::size_t g = 0; g < group.size(); ++g)
      lacks += (2 * static_cast<double>(g) + 1 - static_cast<double>(group.size())) *
               static_cast<double>(units_.rows[group[g]].size());
    filled += lacks / static_cast<double>(group.size());
  }
  return filled / static_cast<double>(units_.samples());
}

}  // namespace macmi::citest
