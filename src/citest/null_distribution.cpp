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
    trace_.centre.push_back(sum / static_cast<double>(count));
    for (std::size_t b = 0; b < count; ++b) {
      const double d = statistics_[b * scales + q] - trace_.centre.back();
      squares += d * d;
    }
    trace_.spread.push_back(std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, count - 1))));
  }
}

double NullDistribution::score(const double* statistics) const {
  if (observed_.size() == 1) return statistics[0];
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t q = 0; q < observed_.size(); ++q)
    best = std::max(best, standard_score(statistics[q] - trace_.centre[q], trace_.spread[q]));
  return best;
}

void NullDistribution::look(std::size_t count) {
  const std::size_t scales = observed_.size();
  if (trace_.centre.empty()) standardise(std::min(look_every, count));
  const double observed = score(observed_.data());
  for (; looked_ < count; ++looked_) {
    const double* permuted = statistics_.data() + (looked_ - restored_) * scales;
    exceedances_ += score(permuted) >= observed;
    for (std::size_t q = 0; q < scales; ++q) {
      const double d = permuted[q] - observed_[q];
      sum_[q] += d;
      squares_[q] += d * d;
    }
  }
  trace_.looks.push_back({looked_, exceedances_});
  trace_.sums.insert(trace_.sums.end(), sum_.begin(), sum_.end());
  trace_.squares.insert(trace_.squares.end(), squares_.begin(), squares_.end());
}

void NullDistribution::restore(const NullTrace& earlier, std::size_t looks) {
  const std::size_t scales = sum_.size();
  const auto part = [&](const std::vector<double>& values, std::size_t begin, std::size_t end) {
    return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(begin * scales),
                               values.begin() + static_cast<std::ptrdiff_t>(end * scales));
  };
  trace_ = {{earlier.looks.begin(), earlier.looks.begin() + static_cast<std::ptrdiff_t>(looks)},
            part(earlier.sums, 0, looks),
            part(earlier.squares, 0, looks),
            earlier.centre,
            earlier.spread};
  sum_ = part(earlier.sums, looks - 1, looks);
  squares_ = part(earlier.squares, looks - 1, looks);
  looked_ = restored_ = trace_.looks.back().drawn;
  exceedances_ = trace_.looks.back().exceedances;
}

double NullDistribution::effect(std::size_t scale) const { return -sum_[scale] / static_cast<double>(looked_); }

double NullDistribution::sd(std::size_t scale) const {
  if (looked_ < 2) return 0;
  const auto count = static_cast<double>(looked_);
  return std::sqrt(std::max(0.0, squares_[scale] - sum_[scale] * sum_[scale] / count) / (count - 1));
}

double NullDistribution::z_score(std::size_t scale) const { return standard_score(effect(scale), sd(scale)); }

std::size_t NullDistribution::best_scale() const {
  std::size_t best = 0;
  for (std::size_t q = 1; q < sum_.size(); ++q)
    if (z_score(q) > z_score(best)) best = q;
  return best;
}

}  // namespace macmi
