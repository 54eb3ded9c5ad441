#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "citest/engines/engine_sums.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

/// How often each label comes among some samples.
class LabelCounts {
 public:
  explicit LabelCounts(std::size_t labels) : count_(labels) {}
  void add(std::uint32_t label, std::uint32_t times) {
    if (count_[label] == 0) seen_.push_back(label);
    count_[label] += times;
  }
  template <class Use>
  void take_all(Use use) {
    for (const std::uint32_t label : seen_) use(label, std::exchange(count_[label], 0));
    seen_.clear();
  }

 private:
  std::vector<std::uint32_t> count_, seen_;
};

/// I = ⟨ln(n_xyz n_z / (n_xz n_yz))⟩: a cell of m samples adds m ln m for each of the four, and y and z never change.
class TableEngine final : public StatisticEngine {
 public:
  TableEngine(const StatisticProblem& problem, std::size_t threads)
      : p_(problem), threads_(threads), label_(numbered(problem.sample.x.category)), order_(problem.sample.n) {
    label_.resize(problem.sample.n);  // a constant has no categories
    const auto code = [](const LatticeBlock& block, std::uint32_t i) {
      return block.category.empty() ? 0 : block.category[i];
    };
    const auto key = [&](std::uint32_t i) { return std::pair(code(problem.sample.z, i), code(problem.sample.y, i)); };
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return key(a) < key(b); });
    for (std::uint32_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      while (end < order_.size() && key(order_[end]) == key(order_[begin])) ++end;
      const bool same_z = end < order_.size() && key(order_[end]).first == key(order_[begin]).first;
      groups_.push_back({end, !same_z});
    }
    fixed_ = terms_of_y_and_z();
  }

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = order_.size(), scales = p_.ks.size();
    base::parallel_for(sources.size() / n, 8, threads_, [&](std::size_t begin, std::size_t end) {
      const std::size_t labels = *std::max_element(label_.begin(), label_.end()) + std::size_t{1};
      LabelCounts in_yz(labels), in_z(labels);
      for (std::size_t lane = begin; lane < end; ++lane) {
        const StatisticSum sum{fixed_ + terms_of_x(sources.subspan(lane * n, n), in_yz, in_z)};
        std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(lane * scales), scales, sum);
      }
    });
  }

 private:
  /// Samples of the same y and z, up to place `end` of the order.
  struct Group {
    std::uint32_t end;
    bool last_of_z;
  };

  std::int64_t weighted(std::uint32_t count) const { return static_cast<std::int64_t>(count) * p_.psi[count]; }

  std::int64_t terms_of_y_and_z() const {
    std::int64_t terms = 0;
    std::uint32_t begin = 0, begin_z = 0;
    for (const Group& group : groups_) {
      terms -= weighted(group.end - std::exchange(begin, group.end));
      if (group.last_of_z) terms += weighted(group.end - std::exchange(begin_z, group.end));
    }
    return terms;
  }

  std::int64_t terms_of_x(std::span<const std::uint32_t> source, LabelCounts& in_yz, LabelCounts& in_z) const {
    std::int64_t terms = 0;
    std::uint32_t place = 0;
    for (const Group& group : groups_) {
      for (; place < group.end; ++place) in_yz.add(label_[source[order_[place]]], 1);
      in_yz.take_all([&](std::uint32_t label, std::uint32_t count) {
        terms += weighted(count);
        in_z.add(label, count);
      });
      if (group.last_of_z) in_z.take_all([&](std::uint32_t, std::uint32_t count) { terms -= weighted(count); });
    }
    return terms;
  }

  const StatisticProblem& p_;
  std::size_t threads_;
  std::vector<std::uint32_t> label_, order_;  ///< of each sample; samples by z, then y
  std::vector<Group> groups_;
  std::int64_t fixed_ = 0;
};

}  // namespace

std::unique_ptr<StatisticEngine> make_table_engine(const StatisticProblem& problem, std::size_t threads) {
  return std::make_unique<TableEngine>(problem, threads);
}

}  // namespace macmi::citest
