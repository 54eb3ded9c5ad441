#include "citest/engines/statistic.hpp"
#include "knn/neighbourhoods.hpp"

namespace macmi::citest {
namespace {

using Columns = std::vector<std::vector<double>>;

knn::Block permuted(const knn::Block& block, const Columns& trend, std::span<const std::uint32_t> source) {
  knn::Block result;
  for (std::size_t d = 0; d < block.columns.size(); ++d) {
    std::vector<double>& values = result.columns.emplace_back(source.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = block.columns[d][source[i]] + (trend.empty() ? 0 : trend[d][i] - trend[d][source[i]]);
  }
  result.category.resize(block.category.size());
  for (std::size_t i = 0; i < result.category.size(); ++i) result.category[i] = block.category[source[i]];
  return result;
}

class TreeEngine final : public StatisticEngine {
 public:
  TreeEngine(const StatisticProblem& problem, knn::JointSample exact, std::size_t threads, Columns x_trend)
      : p_(problem), exact_(std::move(exact)), x_trend_(std::move(x_trend)), threads_(threads) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = exact_.n;
    for (std::size_t lane = 0; lane * n < sources.size(); ++lane) {
      const knn::JointSample sample{n, permuted(exact_.x, x_trend_, sources.subspan(lane * n, n)), exact_.y, exact_.z};
      for (std::size_t q = 0; q < p_.ks.size(); ++q) sums[lane * p_.ks.size() + q] = statistic(sample, p_.ks[q]);
    }
  }

 private:
  StatisticSum statistic(const knn::JointSample& sample, std::size_t k) const {
    const knn::Neighbourhoods near =
        knn::neighbourhoods(sample, k, p_.closed ? knn::Edge::closed : knn::Edge::open, threads_, p_.centres);
    StatisticSum sum;
    const std::size_t self = p_.closed ? 0 : 1;
    for (std::size_t c = 0; c < p_.centre_count(); ++c)
      if (const std::size_t i = p_.centre(c); near.k[i] > 0)
        sum.terms += p_.psi[p_.closed ? near.xyz[i] : near.k[i]] +
                     p_.psi[p_.conditioned ? near.z[i] + self : sample.n] - p_.psi[near.xz[i] + self] -
                     p_.psi[near.yz[i] + self];
    return sum;
  }

  const StatisticProblem& p_;
  knn::JointSample exact_;
  Columns x_trend_;
  std::size_t threads_;
};

}  // namespace

std::unique_ptr<StatisticEngine> make_tree_engine(const StatisticProblem& problem, knn::JointSample exact,
                                                  std::size_t threads, Columns x_trend) {
  return std::make_unique<TreeEngine>(problem, std::move(exact), threads, std::move(x_trend));
}

}  // namespace macmi::citest
