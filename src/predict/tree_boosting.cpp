#include "predict/tree_boosting.hpp"

#include <algorithm>
#include <optional>

namespace macmi::predict {
namespace {

constexpr double shrink = 3;         // added to every sum of curvatures
constexpr double least_samples = 8;  // in a leaf

struct Sums {
  double downhill = 0, curvature = 0, samples = 0;
  void add(const Sums& other) { downhill += other.downhill, curvature += other.curvature, samples += other.samples; }
  Sums without(const Sums& other) const {
    return {downhill - other.downhill, curvature - other.curvature, samples - other.samples};
  }
  double gain() const { return downhill * downhill / (curvature + shrink); }
};

/// A sample that a tree learns from, and its place among the rows.
struct Learned {
  std::uint32_t sample, place;
  double downhill, curvature;
};

/// The best place to split a column, or the best column: bins up to `last` go left.
struct Split {
  std::int32_t column = -1;
  std::uint8_t last = 0;
  double gain = 1e-9;
  Sums left;
};

/// Sums of the samples of one node in every bin of every column.
class Histogram {
 public:
  /// All columns of a sample are added before the next sample: sums of different columns do not wait for each other.
  Histogram(const BinnedColumns& binned, std::span<const Learned> samples)
      : cells_(binned.columns() * BinnedColumns::most_bins) {
    const std::size_t columns = binned.columns();
    for (const Learned& s : samples) {
      const std::uint8_t* bin = binned.of(s.sample);
      for (std::size_t c = 0; c < columns; ++c)
        cells_[c * BinnedColumns::most_bins + bin[c]].add({s.downhill, s.curvature, 1});
    }
  }

  /// The rest without those of one side is the other side's.
  void take_away(const Histogram& side) {
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c] = cells_[c].without(side.cells_[c]);
  }

  Split best_split(const BinnedColumns& binned, const Sums& total) const {
    Split best;
    for (std::size_t c = 0; c < binned.columns(); ++c) look_at(c, binned.used(c), total, best);
    return best;
  }

 private:
  void look_at(std::size_t column, std::size_t bins, const Sums& total, Split& best) const {
    Sums left;
    for (std::size_t b = 0; b + 1 < bins; ++b) {
      left.add(cells_[column * BinnedColumns::most_bins + b]);
      const Sums right = total.without(left);
      if (right.samples < least_samples) break;
      if (left.samples < least_samples) continue;
      const double gain = left.gain() + right.gain() - total.gain();
      if (gain > best.gain) best = {static_cast<std::int32_t>(column), static_cast<std::uint8_t>(b), gain, left};
    }
  }

  std::vector<Sums> cells_;  ///< [column, bin]
};

/// Puts those that go left first, all in the order they had; how many these are.
std::size_t divide(std::span<Learned> samples, const BinnedColumns& binned, const Split& split) {
  std::vector<Learned> right;
  std::size_t left = 0;
  for (const Learned& s : samples) {
    if (binned.of(s.sample)[split.column] <= split.last)
      samples[left++] = s;
    else
      right.push_back(s);
  }
  std::copy(right.begin(), right.end(), samples.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

}  // namespace

BinnedColumns::BinnedColumns(const Design& design)
    : samples_(design.samples), used_(design.columns.size()), bins_(design.samples * design.columns.size()) {
  for (std::size_t c = 0; c < columns(); ++c) {
    const std::vector<double>& column = design.columns[c];
    std::vector<double> sorted = column;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> edges;  // the largest value of each bin but the last
    for (std::size_t b = 1; b < most_bins; ++b) {
      const double edge = sorted[b * sorted.size() / most_bins];
      if (edge < sorted.back() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
    }
    used_[c] = edges.size() + 1;
    for (std::size_t i = 0; i < column.size(); ++i)
      bins_[i * columns() + c] =
          static_cast<std::uint8_t>(std::lower_bound(edges.begin(), edges.end(), column[i]) - edges.begin());
  }
}

StepTree::StepTree(const BinnedColumns& binned, std::span<const std::uint32_t> rows,
                   const std::vector<double>& downhill, const std::vector<double>& curvature)
    : learned_steps_(rows.size()), nodes_((std::size_t{2} << depth) - 1) {
  std::vector<Learned> learned;
  learned.reserve(rows.size());
  std::vector<Sums> totals(nodes_.size());
  for (const std::uint32_t i : rows) {
    learned.push_back({i, static_cast<std::uint32_t>(learned.size()), downhill[i], curvature[i]});
    totals[0].add({downhill[i], curvature[i], 1});
  }
  std::vector<std::span<Learned>> samples(nodes_.size());
  samples[0] = learned;
  const std::size_t inner = nodes_.size() / 2;
  const auto may_split = [&](std::size_t node) { return node < inner && totals[node].samples >= 2 * least_samples; };
  std::vector<std::optional<Histogram>> histograms(nodes_.size());
  if (may_split(0)) histograms[0].emplace(binned, samples[0]);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Split split = histograms[node] ? histograms[node]->best_split(binned, totals[node]) : Split();
    nodes_[node] = {split.column, split.last, totals[node].downhill / (totals[node].curvature + shrink), split.gain};
    if (split.column < 0) {
      for (const Learned& s : samples[node]) learned_steps_[s.place] = nodes_[node].step;
      continue;
    }
    const std::size_t count = divide(samples[node], binned, split), left = 2 * node + 1, right = left + 1;
    samples[left] = samples[node].first(count), samples[right] = samples[node].subspan(count);
    totals[left] = split.left, totals[right] = totals[node].without(split.left);
    const std::size_t small = samples[left].size() <= samples[right].size() ? left : right,
                      large = left + right - small;
    if (may_split(large)) {
      const Histogram of_small(binned, samples[small]);
      histograms[node]->take_away(of_small);
      histograms[large] = std::move(histograms[node]);
      if (may_split(small)) histograms[small] = of_small;
    }
    histograms[node].reset();
  }
}

double StepTree::step(const BinnedColumns& binned, std::size_t sample) const {
  const std::uint8_t* bins = binned.of(sample);
  std::size_t node = 0;
  while (nodes_[node].column >= 0) {
    const bool left = bins[nodes_[node].column] <= nodes_[node].last;
    node = 2 * node + (left ? 1 : 2);
  }
  return nodes_[node].step;
}

void StepTree::add_gains(std::vector<double>& of_column) const {
  for (const Node& node : nodes_)
    if (node.column >= 0) of_column[static_cast<std::size_t>(node.column)] += node.gain;
}

}  // namespace macmi::predict
