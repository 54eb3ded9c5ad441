#include <map>
#include <tuple>

#include "citest/statistic.hpp"
#include "knn/neighbourhoods.hpp"

namespace macmi {
namespace {

using Columns = std::vector<std::vector<double>>;

Block permuted(const Block& block, const Columns& trend, std::span<const std::uint32_t> source) {
  Block result;
  for (std::size_t d = 0; d < block.columns.size(); ++d) {
    std::vector<double>& values = result.columns.emplace_back(source.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = block.columns[d][source[i]] + (trend.empty() ? 0 : trend[d][i] - trend[d][source[i]]);
  }
  result.category.resize(block.category.size());
  for (std::size_t i = 0; i < result.category.size(); ++i) result.category[i] = block.category[source[i]];
  return result;
}

Block rows_of(const Block& block, const std::vector<std::size_t>& rows) {
  Block result;
  for (const auto& column : block.columns) {
    std::vector<double>& values = result.columns.emplace_back();
    for (const std::size_t i : rows) values.push_back(column[i]);
  }
  if (!block.category.empty())
    for (const std::size_t i : rows) result.category.push_back(block.category[i]);
  return result;
}

/// Samples that share their combination of categories with another one.
std::vector<std::size_t> rows_with_company(const JointSample& sample) {
  const auto code = [](const Block& block, std::size_t i) { return block.category.empty() ? 0 : block.category[i]; };
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::size_t> size;
  const auto key = [&](std::size_t i) { return std::tuple(code(sample.x, i), code(sample.y, i), code(sample.z, i)); };
  for (std::size_t i = 0; i < sample.n; ++i) ++size[key(i)];
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.n; ++i)
    if (size[key(i)] > 1) rows.push_back(i);
  return rows;
}

class TreeEngine final : public StatisticEngine {
 public:
  TreeEngine(const StatisticProblem& problem, JointSample exact, std::size_t threads, Columns x_trend)
      : p_(problem), exact_(std::move(exact)), x_trend_(std::move(x_trend)), threads_(threads) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = exact_.n;
    for (std::size_t lane = 0; lane * n < sources.size(); ++lane) {
      JointSample sample{n, permuted(exact_.x, x_trend_, sources.subspan(lane * n, n)), exact_.y, exact_.z};
      // Unlike on the lattice, samples left without a neighbour are then nobody's neighbours either.
      if (const auto rows = rows_with_company(sample); rows.size() < n)
        sample = {rows.size(), rows_of(sample.x, rows), rows_of(sample.y, rows), rows_of(sample.z, rows)};
      for (std::size_t q = 0; q < p_.ks.size(); ++q)
        sums[lane * p_.ks.size() + q] = sample.n < 3 ? StatisticSum{} : statistic(sample, p_.ks[q]);
    }
  }

 private:
  StatisticSum statistic(const JointSample& sample, std::size_t k) const {
    const Neighbourhoods near = neighbourhoods(sample, k, p_.closed ? Edge::closed : Edge::open, threads_);
    StatisticSum sum{0, static_cast<std::uint32_t>(sample.n)};
    const std::size_t self = p_.closed ? 0 : 1;
    for (std::size_t i = 0; i < sample.n; ++i)
      sum.terms += p_.psi[p_.closed ? near.xyz[i] : near.k[i]] + p_.psi[p_.conditioned ? near.z[i] + self : sample.n] -
                   p_.psi[near.xz[i] + self] - p_.psi[near.yz[i] + self];
    return sum;
  }

  const StatisticProblem& p_;
  JointSample exact_;
  Columns x_trend_;
  std::size_t threads_;
};

}  // namespace

std::unique_ptr<StatisticEngine> make_tree_engine(const StatisticProblem& problem, JointSample exact, std::size_t threads,
                                                  Columns x_trend) {
  return std::make_unique<TreeEngine>(problem, std::move(exact), threads, std::move(x_trend));
}

}  // namespace macmi
