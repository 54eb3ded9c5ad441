#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/design.hpp"

namespace macmi::predict {

/// The columns of a design in at most 32 bins of about equal counts each: all that trees see of them.
class BinnedColumns {
 public:
  static constexpr std::size_t most_bins = 32;
  explicit BinnedColumns(const Design& design);
  std::size_t columns() const { return used_.size(); }
  std::size_t samples() const { return samples_; }
  /// The bins that a column has.
  std::size_t used(std::size_t column) const { return used_[column]; }
  /// The bins of a sample, one of each column.
  const std::uint8_t* of(std::size_t sample) const { return bins_.data() + sample * columns(); }

 private:
  std::size_t samples_ = 0;
  std::vector<std::size_t> used_;
  std::vector<std::uint8_t> bins_;  ///< [sample, column]: a tree reads all columns of one sample after the other
};

/// A regression tree of Newton's steps (Friedman 2001; Chen & Guestrin 2016), grown level by level.
class StepTree {
 public:
  static constexpr std::size_t depth = 4;
  /// `downhill` and `curvature` are of all samples; `rows` are those it learns from.
  StepTree(const BinnedColumns& binned, std::span<const std::uint32_t> rows, const std::vector<double>& downhill,
           const std::vector<double>& curvature);
  /// The step of a sample.
  double step(const BinnedColumns& binned, std::size_t sample) const;
  /// The step of each row it has learned from, in their order.
  const std::vector<double>& learned_steps() const { return learned_steps_; }
  /// Adds to each column what its splits gained: the importance of columns in a sum of trees.
  void add_gains(std::vector<double>& of_column) const;

 private:
  struct Node {
    std::int32_t column = -1;  ///< -1: no split
    std::uint8_t last = 0;     ///< bins up to this one go left
    double step = 0, gain = 0;
  };
  std::vector<double> learned_steps_;
  std::vector<Node> nodes_;  ///< the children of node i are 2i + 1 and 2i + 2
};

}  // namespace macmi::predict
