#include "citest/null_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "citest/stopping.hpp"

namespace macmi {
namespace {

double standard_score(double difference, double sd) {
  if (sd > 0) return difference / sd;
  if (difference == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), difference);
}

}  // namespace

NullDistribution::NullDistribution(std::vector<double> observed, std::size_t scales)
    : observed_(std::move(observed)), sum_(scales), squares_(scales) {}

void NullDistribution::add(const std::vector<double>& statistics) {
  statistics_.insert(statistics_.end(), statistics.begin(), statistics.end());
}

void NullDistribution::standardise(std::size_t count) {
  const std::size_t scales = observed_.size();
  for (std::size_t q = 0; q < scales; ++q) {
    double sum = 0, squares = 0;
    for (std::size_t b = 0; b < count; ++b) sum += statistics_[b * scales + q];
    centre_.push_back(sum / static_cast<double>(count));
    for (std::size_t b = 0; b < count; ++b) {
      const double d = statistics_[b * scales + q] - centre_.back();
      squares += d * d;
    }
    spread_.push_back(std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, count - 1))));
  }
}

double NullDistribution::score(const double* statistics) const {
  if (observed_.size() == 1) return statistics[0];
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t q = 0; q < observed_.size(); ++q)
    best = std::max(best, standard_score(statistics[q] - centre_[q], spread_[q]));
  return best;
}

void NullDistribution::look(std::size_t count) {
  const std::size_t scales = observed_.size();
  if (centre_.empty()) standardise(std::min(look_every, count));
  const double observed = score(observed_.data());
  for (; looked_ < count; ++looked_) {
    const double* permuted = statistics_.data() + looked_ * scales;
    exceedances_ += score(permuted) >= observed;
    for (std::size_t q = 0; q < scales; ++q) {
      const double d = permuted[q] - observed_[q];
      sum_[q] += d;
      squares_[q] += d * d;
    }
  }
}

double NullDistribution::effect(std::size_t scale) const { return -sum_[scale] / static_cast<double>(looked_); }

double NullDistribution::sd(std::size_t scale) const {
  if (looked_ < 2) return 0;
  const auto count = static_cast<double>(looked_);
  return std::sqrt(std::max(0.0, squares_[scale] - sum_[scale] * sum_[scale] / count) / (count - 1));
}

double NullDistribution::z_score(std::size_t scale) const { return standard_score(effect(scale), sd(scale)); }

NullHistogram NullDistribution::histogram(std::size_t scale, std::size_t bins) const {
  NullHistogram histogram;
  if (looked_ == 0) return histogram;
  std::vector<double> differences;
  for (std::size_t b = 0; b < looked_; ++b)
    differences.push_back(statistics_[b * observed_.size() + scale] - observed_[scale]);
  const auto [low, high] = std::minmax_element(differences.begin(), differences.end());
  histogram.low = *low;
  histogram.high = *high;
  histogram.counts.resize(*low < *high ? bins : 1);
  const double width = (*high - *low) / static_cast<double>(histogram.counts.size());
  for (const double d : differences) {
    const auto bin = width > 0 ? static_cast<std::size_t>((d - *low) / width) : 0;
    ++histogram.counts[std::min(bin, histogram.counts.size() - 1)];
  }
  return histogram;
}

std::size_t NullDistribution::best_scale() const {
  std::size_t best = 0;
  for (std::size_t q = 1; q < observed_.size(); ++q)
    if (z_score(q) > z_score(best)) best = q;
  return best;
}

}  // namespace macmi
