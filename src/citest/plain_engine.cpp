#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "citest/statistic.hpp"

namespace macmi {
namespace {

/// Max-norm between i and j, with coordinates taken from the samples `from` says.
template <class From>
std::int32_t distance(const LatticeBlock& block, std::size_t i, std::size_t j, std::int32_t apart, From from) {
  if (!block.category.empty() && block.category[from(i)] != block.category[from(j)]) return apart;
  std::int32_t d = 0;
  for (const auto& column : block.columns) d = std::max(d, std::abs(column[from(i)] - column[from(j)]));
  return d;
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
    const std::size_t n = p_.sample.n;
    StatisticSum sum;
    std::vector<std::int32_t> xz(n), yz(n), z(n), joint(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const auto itself = [](std::size_t s) { return s; };
        z[j] = distance(p_.sample.z, i, j, p_.sample.apart(), itself);
        xz[j] = std::max(z[j], distance(p_.sample.x, i, j, p_.sample.apart(), [&](std::size_t s) { return source[s]; }));
        yz[j] = std::max(z[j], distance(p_.sample.y, i, j, p_.sample.apart(), itself));
        joint[j] = std::max(xz[j], yz[j]);
      }
      const auto count = [](const std::vector<std::int32_t>& d, std::int32_t limit) {
        return static_cast<std::size_t>(std::count_if(d.begin(), d.end(), [=](std::int32_t v) { return v <= limit; }));
      };
      const std::size_t k_i = std::min(k, count(joint, p_.sample.range) - 1);  // i itself is at distance 0
      if (k_i == 0) continue;
      std::vector<std::int32_t> sorted = joint;
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k_i), sorted.end());
      const std::int32_t radius = sorted[k_i];
      const std::int32_t limit = p_.closed ? radius : std::max(radius - 1, 0);
      const std::size_t self = p_.closed ? 1 : 0;  // the mixed rule does not count i itself
      const std::size_t n_z = p_.conditioned ? count(z, limit) - self : n;
      sum.terms += p_.psi[p_.closed ? count(joint, radius) - 1 : k_i] + p_.psi[n_z] - p_.psi[count(xz, limit) - self] -
                   p_.psi[count(yz, limit) - self];
      ++sum.samples;
    }
    return sum;
  }

  const StatisticProblem& p_;
};

}  // namespace

std::unique_ptr<StatisticEngine> make_plain_engine(const StatisticProblem& problem) {
  return std::make_unique<PlainEngine>(problem);
}

}  // namespace macmi
