#include "citest/null/null_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "citest/null/stopping.hpp"

namespace macmi::citest {
namespace {

double standard_score(double difference, double sd) {
  if (sd > 0) return difference / sd;
  if (difference == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), difference);
}

/// Scores further out than this say no more; infinite ones come from looks without any spread.
constexpr double largest_score = 1e4;

/// Skewness that the combined score usually has, as measured on null data of many kinds (docs/benchmarks/small_p.md):
/// a correlation counts to either side, which leaves a longer tail than neighbours do.
constexpr double skewness_with_correlation = 1.6, skewness_of_neighbours = 0.8, skewness_of_a_trace = 0.25;

}  // namespace

NullDistribution::NullDistribution(std::vector<double> observed, std::size_t scales, WideScale last)
    : observed_(std::move(observed)), sum_(scales), squares_(scales), last_(last) {}

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
  if (observed_.size() == 1 && last_.look == WideLook::none) return statistics[0];
  std::vector<double> scores;
  for (std::size_t q = 0; q < observed_.size(); ++q) {
    scores.push_back(standard_score(statistics[q] - trace_.centre[q], trace_.spread[q]));
    if (is_correlation(q)) scores.push_back(-scores.back());
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double z : scores) sum += std::exp(z - largest);
  return largest + std::log(sum);
}

/// A single look is in nats; several are deviations already.
double NullDistribution::standard(double score) const {
  const bool single = sum_.size() == 1 && last_.look == WideLook::none;
  return single ? standard_score(score - trace_.centre[0], trace_.spread[0]) : score;
}

/// A correlation is nearly normal and counts to either side; so is the cube root of a trace (Wilson and Hilferty 1931),
/// of which only large values count.
FittedTail NullDistribution::look_tail(std::size_t scale, double skewness) const {
  if (is_correlation(scale)) return normal_tail(z_score(scale), looked_);
  return skewed_tail(z_score(scale), is_last(WideLook::trace, scale) ? skewness_of_a_trace : skewness, looked_);
}

FittedTail NullDistribution::tail(bool counts) const {
  const double* sums = trace_.score_moments.data() + 3 * (trace_.looks.size() - 1);
  // 2 n times the information of a table is nearly χ² with the table's degrees of freedom: its skewness is twice its
  // deviation over its mean.
  const double of_a_table = counts && trace_.centre[0] > 0 ? 2 * trace_.spread[0] / trace_.centre[0] : 0;
  const double combined = last_.look == WideLook::correlation ? skewness_with_correlation : skewness_of_neighbours;
  FittedTail tail = fitted_tail(trace_.observed_score, {looked_, sums[0], sums[1], sums[2]},
                                counts ? std::max(of_a_table, sum_.size() > 1 ? combined : 0) : combined);
  const std::size_t looks = sum_.size();
  for (std::size_t q = 0; q < looks && looks > 1; ++q)
    tail = smaller_tail(tail, look_tail(q, counts ? of_a_table : skewness_of_neighbours), looks);
  return tail;
}

FittedTail NullDistribution::wide_tail() const {
  return look_tail(0, 0);
}

void NullDistribution::look(std::size_t count) {
  const std::size_t scales = observed_.size();
  if (trace_.centre.empty()) standardise(std::min(look_every, count));
  const double observed = score(observed_.data());
  trace_.observed_score = standard(observed);
  std::array<double, 3> moments{};
  if (!trace_.looks.empty()) std::copy(trace_.score_moments.end() - 3, trace_.score_moments.end(), moments.begin());
  count_bins(looked_, count);
  for (; looked_ < count; ++looked_) {
    const double* permuted = statistics_.data() + (looked_ - restored_) * scales;
    const double combined = score(permuted);
    exceedances_ += combined >= observed;
    const double t = std::clamp(standard(combined), -largest_score, largest_score);
    moments[0] += t, moments[1] += t * t, moments[2] += t * t * t;
    for (std::size_t q = 0; q < scales; ++q) {
      const double d = permuted[q] - observed_[q];
      sum_[q] += d;
      squares_[q] += d * d;
    }
  }
  trace_.looks.push_back({looked_, exceedances_});
  trace_.sums.insert(trace_.sums.end(), sum_.begin(), sum_.end());
  trace_.squares.insert(trace_.squares.end(), squares_.begin(), squares_.end());
  trace_.score_moments.insert(trace_.score_moments.end(), moments.begin(), moments.end());
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
            earlier.spread,
            earlier.bins.substr(0, looks * scales * histogram_bins),
            earlier.observed_score,
            {earlier.score_moments.begin(), earlier.score_moments.begin() + static_cast<std::ptrdiff_t>(3 * looks)}};
  sum_ = part(earlier.sums, looks - 1, looks);
  squares_ = part(earlier.squares, looks - 1, looks);
  looked_ = restored_ = trace_.looks.back().drawn;
  exceedances_ = trace_.looks.back().exceedances;
}

double NullDistribution::raw_effect(std::size_t scale) const {
  return -sum_[scale] / static_cast<double>(looked_);
}

/// Cube roots are what the looks know; those of the null are about normal, and the mean of their cubes follows from
/// mean and variance. The observed one is the first look's mean less its difference from it.
double NullDistribution::excess_of_trace(std::size_t scale) const {
  const double observed = trace_.centre[scale] - trace_.sums[scale] / static_cast<double>(trace_.looks.front().drawn);
  const double mean = observed - raw_effect(scale), sd = raw_sd(scale);
  return observed * observed * observed - mean * (mean * mean + 3 * sd * sd);
}

double NullDistribution::effect(std::size_t scale) const {
  const double raw = raw_effect(scale);
  if (is_last(WideLook::trace, scale)) {
    const auto s = static_cast<double>(last_.directions);
    return -0.5 * s * std::log1p(-std::min(excess_of_trace(scale) / s, 1 - 1e-12));
  }
  return is_correlation(scale) ? -0.5 * std::log1p(-std::min(raw * raw, 1 - 1e-12)) : raw;
}

double NullDistribution::raw_sd(std::size_t scale) const {
  if (looked_ < 2) return 0;
  const auto count = static_cast<double>(looked_);
  return std::sqrt(std::max(0.0, squares_[scale] - sum_[scale] * sum_[scale] / count) / (count - 1));
}

double NullDistribution::z_score(std::size_t scale) const {
  const double z = standard_score(raw_effect(scale), raw_sd(scale));
  return is_correlation(scale) ? std::abs(z) : z;
}

double NullDistribution::sd(std::size_t scale) const {
  if (last_.look == WideLook::none || scale + 1 < sum_.size()) return raw_sd(scale);
  const double z = z_score(scale);
  return z != 0 && std::isfinite(z) ? std::abs(effect(scale) / z) : 0;
}

NullHistogram NullDistribution::histogram(std::size_t scale) const {
  const std::size_t scales = sum_.size();
  std::vector<std::uint32_t> counts(histogram_bins);
  for (std::size_t look = 0; look < trace_.looks.size(); ++look)
    for (std::size_t bin = 0; bin < histogram_bins; ++bin)
      counts[bin] += static_cast<unsigned char>(trace_.bins[(look * scales + scale) * histogram_bins + bin]);
  std::size_t first = 0, last = histogram_bins;  // bins that hold something
  while (first + 1 < last && counts[first] == 0) ++first;
  while (last > first + 1 && counts[last - 1] == 0) --last;
  const double middle = trace_.sums[scale] / static_cast<double>(trace_.looks.front().drawn), width = bin_width(scale);
  const double low = middle - width * histogram_bins / 2;
  NullHistogram histogram{
      low + width * static_cast<double>(first),
      low + width * static_cast<double>(last),
      {counts.begin() + static_cast<std::ptrdiff_t>(first), counts.begin() + static_cast<std::ptrdiff_t>(last)}};
  if (last_.look == WideLook::none || scale + 1 < scales) return histogram;
  const double nats = raw_effect(scale) == 0 ? 0 : effect(scale) / raw_effect(scale);  // negative: the other way round
  histogram.low *= nats;
  histogram.high *= nats;
  if (nats < 0) {
    std::swap(histogram.low, histogram.high);
    std::reverse(histogram.counts.begin(), histogram.counts.end());
  }
  return histogram;
}

double NullDistribution::bin_width(std::size_t scale) const {
  return histogram_reach * 2 * trace_.spread[scale] / histogram_bins;
}

void NullDistribution::count_bins(std::size_t from, std::size_t to) {
  const std::size_t scales = sum_.size(), begin = trace_.bins.size();
  const auto middle = static_cast<double>(histogram_bins / 2);
  trace_.bins.resize(begin + scales * histogram_bins);
  for (std::size_t b = from; b < to; ++b)
    for (std::size_t q = 0; q < scales; ++q) {
      const double width = bin_width(q), from_middle = statistics_[(b - restored_) * scales + q] - trace_.centre[q];
      const double bin = middle + (width > 0 ? std::floor(from_middle / width) : 0);
      ++trace_.bins[begin + q * histogram_bins + static_cast<std::size_t>(std::clamp(bin, 0.0, histogram_bins - 1.0))];
    }
}

std::size_t NullDistribution::best_scale() const {
  std::size_t best = 0;
  for (std::size_t q = 1; q < sum_.size(); ++q)
    if (z_score(q) > z_score(best)) best = q;
  return best;
}

}  // namespace macmi::citest
