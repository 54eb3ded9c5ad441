#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::predict {

/// The loss that a predictor minimises: n samples, `outputs()` scores for each, and the negative log-likelihood of the
/// samples given their scores, in nats.
class Loss {
 public:
  /// The score is the mean of a normal distribution of variance 1.
  static Loss squares(std::vector<double> values);
  /// The score is the logarithm of the variance; `values` are squared deviations.
  static Loss log_variance(std::vector<double> values);
  /// Two classes: the log-odds of the second. More: a score for each, up to a constant.
  static Loss classes(std::vector<std::int32_t> codes, std::size_t count);

  std::size_t samples() const { return kind_ == Kind::classes ? codes_.size() : values_.size(); }
  std::size_t outputs() const { return outputs_; }
  double value(std::size_t i, const double* scores) const;
  /// Minus the derivative, and the (expected) second derivative, by each score.
  void steps(std::size_t i, const double* scores, double* downhill, double* curvature) const;
  /// The best scores that are the same for all of these samples.
  std::vector<double> constant(std::span<const std::uint32_t> rows) const;
  /// The largest curvature there can be, where it is used in place of the true one; 0: the true one must be.
  double largest_curvature() const;
  /// Newton's steps that a fit takes.
  std::size_t iterations() const;

 private:
  enum class Kind { squares, log_variance, classes };
  Kind kind_ = Kind::squares;
  std::size_t outputs_ = 1;
  std::vector<double> values_;
  std::vector<std::int32_t> codes_;
};

}  // namespace macmi::predict
