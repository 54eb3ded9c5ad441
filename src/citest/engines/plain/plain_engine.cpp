#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

/// Max-norm between samples i and j.
std::int32_t distance(const LatticeBlock& block, std::size_t i, std::size_t j, std::int32_t apart) {
  if (!block.category.empty() && block.category[i] != block.category[j]) return apart;
  std::int32_t d = 0;
  for (const auto& column : block.columns) d = std::max(d, std::abs(column[i] - column[j]));
  return d;
}

/// The same in x, which comes from other samples.
std::int32_t distance_x(const StatisticProblem& p, std::span<const std::uint32_t> source, std::size_t i,
                        std::size_t j) {
  const LatticeBlock& x = p.sample.x;
  if (!x.category.empty() && x.category[source[i]] != x.category[source[j]]) return p.sample.apart();
  std::int32_t distance = 0;
  for (std::size_t d = 0; d < x.columns.size(); ++d)
    distance = std::max(distance, std::abs(p.x_at(d, i, source[i]) - p.x_at(d, j, source[j])));
  return distance;
}

std::size_t count_within(const std::vector<std::int32_t>& distances, std::int32_t limit) {
  return static_cast<std::size_t>(
      std::count_if(distances.begin(), distances.end(), [=](std::int32_t d) { return d <= limit; }));
}

class PlainEngine final : public StatisticEngine {
 public:
  explicit PlainEngine(const StatisticProblem& problem) : p_(problem) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = p_.sample.n;
    for (std::size_t lane = 0; lane * n < sources.size(); ++lane)
      for (std::size_t q = 0; q < p_.ks.size(); ++q)
        sums[lane * p_.ks.size() + q] = statistic(sources.subspan(lane * n, n), p_.ks[q]);
  }

 private:
  StatisticSum statistic(std::span<const std::uint32_t> source, std::size_t k) const {
    StatisticSum sum;
    for (std::size_t c = 0; c < p_.centre_count(); ++c) add_plain_term(p_, source, p_.centre(c), k, sum);
    return sum;
  }

  const StatisticProblem& p_;
};

}  // namespace

void add_plain_term(const StatisticProblem& p, std::span<const std::uint32_t> source, std::size_t i, std::size_t k,
                    StatisticSum& sum) {
  const std::size_t n = p.sample.n;
  std::vector<std::int32_t> xz(n), yz(n), z(n), joint(n);
  for (std::size_t j = 0; j < n; ++j) {
    z[j] = distance(p.sample.z, i, j, p.sample.apart());
    xz[j] = std::max(z[j], distance_x(p, source, i, j));
    yz[j] = std::max(z[j], distance(p.sample.y, i, j, p.sample.apart()));
    joint[j] = std::max(xz[j], yz[j]);
  }
  if (p.only_categories()) {
    sum.terms += p.psi[count_within(joint, 0)] + p.psi[p.conditioned ? count_within(z, 0) : n] -
                 p.psi[count_within(xz, 0)] - p.psi[count_within(yz, 0)];
    return;
  }
  const std::size_t k_i = std::min(k, count_within(joint, p.sample.range) - 1);  // i itself is at distance 0
  if (k_i == 0) return;
  std::vector<std::int32_t> sorted = joint;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k_i), sorted.end());
  const std::int32_t radius = sorted[k_i];
  const std::int32_t limit = p.closed ? radius : std::max(radius - 1, 0);
  const std::size_t self = p.closed ? 1 : 0;  // the mixed rule does not count i itself
  const std::size_t n_z = p.conditioned ? count_within(z, limit) - self : n;
  sum.terms += p.psi[p.closed ? count_within(joint, radius) - 1 : k_i] + p.psi[n_z] -
               p.psi[count_within(xz, limit) - self] - p.psi[count_within(yz, limit) - self];
}

std::unique_ptr<StatisticEngine> make_plain_engine(const StatisticProblem& problem) {
  return std::make_unique<PlainEngine>(problem);
}

}  // namespace macmi::citest
