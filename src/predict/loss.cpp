#include "predict/loss.hpp"

#include <algorithm>
#include <cmath>

#include "base/vector/elementary.hpp"

namespace macmi::predict {
namespace {

constexpr double furthest = 25;  // squared deviations: what lies beyond five counts as five

double logistic(double s) {
  return 1 / (1 + base::exact_exp(-s));
}

}  // namespace

Loss Loss::squares(std::vector<double> values) {
  Loss loss;
  loss.values_ = std::move(values);
  return loss;
}

Loss Loss::log_variance(std::vector<double> values) {
  Loss loss;
  loss.kind_ = Kind::log_variance;
  loss.values_ = std::move(values);
  return loss;
}

Loss Loss::classes(std::vector<std::int32_t> codes, std::size_t count) {
  Loss loss;
  loss.kind_ = Kind::classes;
  loss.codes_ = std::move(codes);
  loss.outputs_ = count == 2 ? 1 : count;
  return loss;
}

double Loss::value(std::size_t i, const double* s) const {
  if (kind_ == Kind::squares) return (values_[i] - s[0]) * (values_[i] - s[0]) / 2;
  if (kind_ == Kind::log_variance) return (s[0] + std::min(furthest, values_[i] * base::exact_exp(-s[0]))) / 2;
  if (outputs_ == 1) {
    const double right = codes_[i] == 1 ? s[0] : -s[0];
    return right > 0 ? base::exact_log(1 + base::exact_exp(-right))
                     : base::exact_log(1 + base::exact_exp(right)) - right;
  }
  const double highest = *std::max_element(s, s + outputs_);
  double sum = 0;
  for (std::size_t k = 0; k < outputs_; ++k) sum += base::exact_exp(s[k] - highest);
  return base::exact_log(sum) + highest - s[codes_[i]];
}

void Loss::steps(std::size_t i, const double* s, double* downhill, double* curvature) const {
  if (kind_ == Kind::squares) {
    downhill[0] = values_[i] - s[0], curvature[0] = 1;
  } else if (kind_ == Kind::log_variance) {
    downhill[0] = (std::min(furthest, values_[i] * base::exact_exp(-s[0])) - 1) / 2, curvature[0] = 0.5;
  } else if (outputs_ == 1) {
    const double p = logistic(s[0]);
    downhill[0] = (codes_[i] == 1 ? 1 : 0) - p, curvature[0] = std::max(p * (1 - p), 1e-6);
  } else {
    const double highest = *std::max_element(s, s + outputs_);
    double sum = 0;
    for (std::size_t k = 0; k < outputs_; ++k) sum += downhill[k] = base::exact_exp(s[k] - highest);
    for (std::size_t k = 0; k < outputs_; ++k) {
      const double p = downhill[k] / sum;
      downhill[k] = (codes_[i] == static_cast<std::int32_t>(k) ? 1 : 0) - p, curvature[k] = std::max(p * (1 - p), 1e-6);
    }
  }
}

std::vector<double> Loss::constant(std::span<const std::uint32_t> rows) const {
  const auto n = static_cast<double>(rows.size());
  if (kind_ != Kind::classes) {
    double sum = 0;
    for (const std::uint32_t i : rows) sum += values_[i];
    return {kind_ == Kind::squares ? sum / n : base::exact_log(std::max(sum / n, 1e-300))};
  }
  std::vector<double> share(std::max<std::size_t>(2, outputs_), 0.5);  // half a sample for classes not seen
  for (const std::uint32_t i : rows) ++share[static_cast<std::size_t>(codes_[i])];
  if (outputs_ == 1) return {base::exact_log(share[1] / share[0])};
  for (double& s : share) s = base::exact_log(s / n);
  return share;
}

double Loss::largest_curvature() const {
  if (kind_ == Kind::squares) return 1;
  return outputs_ == 1 && kind_ == Kind::classes ? 0 : 0.5;  // of several classes: Böhning (1992)
}

std::size_t Loss::iterations() const {
  if (kind_ == Kind::squares) return 1;
  return kind_ == Kind::log_variance ? 12 : outputs_ == 1 ? 8 : 60;
}

}  // namespace macmi::predict
