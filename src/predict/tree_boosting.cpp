#include "predict/tree_boosting.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace macmi::predict {
namespace {

constexpr double shrink = 3;         // added to every sum of curvatures
constexpr double least_samples = 8;  // in a leaf

struct Sums {
  double downhill = 0, curvature = 0, samples = 0;
  void add(const Sums& other) { downhill += other.downhill, curvature += other.curvature, samples += other.samples; }
  double gain() const { return downhill * downhill / (curvature + shrink); }
};

using Histogram = std::array<Sums, BinnedColumns::most_bins>;

}  // namespace

BinnedColumns::BinnedColumns(const Design& design) : samples_(design.samples) {
  for (const std::vector<double>& column : design.columns) {
    std::vector<double> sorted = column;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> edges;  // the largest value of each bin but the last
    for (std::size_t b = 1; b < most_bins; ++b) {
      const double edge = sorted[b * sorted.size() / most_bins];
      if (edge < sorted.back() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
    }
    std::vector<std::uint8_t>& bins = bins_.emplace_back(column.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      bins[i] = static_cast<std::uint8_t>(std::lower_bound(edges.begin(), edges.end(), column[i]) - edges.begin());
  }
}

StepTree::StepTree(const BinnedColumns& binned, std::span<const std::uint32_t> rows,
                   const std::vector<double>& downhill, const std::vector<double>& curvature)
    : nodes_((std::size_t{2} << depth) - 1) {
  std::vector<std::uint32_t> at(rows.size(), 0);  // the node of each row
  std::vector<Sums> totals(nodes_.size());
  for (const std::uint32_t i : rows) totals[0].add({downhill[i], curvature[i], 1});
  std::vector<Histogram> histograms;
  for (std::size_t level = 0; level < depth; ++level) {
    const std::size_t first = (std::size_t{1} << level) - 1, count = std::size_t{1} << level;
    std::vector<double> best(count, 1e-9);
    std::vector<Sums> left_of(count);
    for (std::size_t c = 0; c < binned.columns(); ++c) {
      histograms.assign(count, Histogram{});
      const std::vector<std::uint8_t>& bins = binned.bins(c);
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (at[r] >= first) {
          const std::uint32_t i = rows[r];
          Sums& cell = histograms[at[r] - first][bins[i]];
          cell.downhill += downhill[i], cell.curvature += curvature[i], cell.samples += 1;
        }
      for (std::size_t node = 0; node < count; ++node) {
        const Sums& total = totals[first + node];
        if (total.samples < 2 * least_samples) continue;
        Sums left;
        for (std::size_t b = 0; b + 1 < BinnedColumns::most_bins; ++b) {
          left.add(histograms[node][b]);
          const Sums right{total.downhill - left.downhill, total.curvature - left.curvature,
                           total.samples - left.samples};
          if (right.samples < least_samples) break;
          if (left.samples < least_samples) continue;
          const double gain = left.gain() + right.gain() - total.gain();
          if (gain <= best[node]) continue;
          best[node] = gain;
          left_of[node] = left;
          nodes_[first + node].column = static_cast<std::int32_t>(c);
          nodes_[first + node].last = static_cast<std::uint8_t>(b);
          nodes_[first + node].gain = gain;
        }
      }
    }
    for (std::size_t node = first; node < first + count; ++node) {
      if (nodes_[node].column < 0) continue;
      const Sums &total = totals[node], &left = left_of[node - first];
      totals[2 * node + 1] = left;
      totals[2 * node + 2] = {total.downhill - left.downhill, total.curvature - left.curvature,
                              total.samples - left.samples};
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Node& node = nodes_[at[r]];
      if (at[r] < first || node.column < 0) continue;
      const bool left = binned.bins(static_cast<std::size_t>(node.column))[rows[r]] <= node.last;
      at[r] = 2 * at[r] + (left ? 1 : 2);
    }
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    nodes_[node].step = totals[node].downhill / (totals[node].curvature + shrink);
}

double StepTree::step(const BinnedColumns& binned, std::size_t sample) const {
  std::size_t node = 0;
  while (nodes_[node].column >= 0) {
    const bool left = binned.bins(static_cast<std::size_t>(nodes_[node].column))[sample] <= nodes_[node].last;
    node = 2 * node + (left ? 1 : 2);
  }
  return nodes_[node].step;
}

void StepTree::add_gains(std::vector<double>& of_column) const {
  for (const Node& node : nodes_)
    if (node.column >= 0) of_column[static_cast<std::size_t>(node.column)] += node.gain;
}

}  // namespace macmi::predict
