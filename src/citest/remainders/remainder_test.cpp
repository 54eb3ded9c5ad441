#include "citest/remainders/remainder_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_of.hpp"
#include "citest/remainders/remainders.hpp"
#include "citest/remainders/weighted_covariance.hpp"
#include "citest/test_memory.hpp"

namespace macmi::citest {
namespace {

constexpr std::size_t least_samples = 50, samples_per_column = 3;

std::size_t width(const Variable& v) {
  return v.numeric().size() + v.categorical().size();
}

Variable block(const std::vector<std::vector<double>>& columns) {
  Variable v;
  for (const std::vector<double>& column : columns) v.add(NumericColumn{column.data(), 1, ""}, column.size());
  return v;
}

/// Remainders of the numbers, and the classes as they are.
Variable block(const Remainder& remainder, const Variable& whole) {
  Variable v = whole.numeric().empty() ? Variable() : block(remainder.numbers);
  for (const CategoricalColumn& column : whole.categorical()) v.add(column, whole.samples());
  return v;
}

/// The work that tests with the same z, and those with the same y as well, share.
class Shared {
 public:
  Shared(const Variable& z, TestMemory* memory) : memory_(memory), key_(memory ? content_key(z) : "") {
    const auto make = [&] { return std::make_shared<const ZTerms>(z); };
    terms_ = memory ? memory->terms.get(key_, make) : make();
  }
  const ZTerms& terms() const { return *terms_; }
  std::shared_ptr<const TargetTerms> for_target(const Variable& y) const {
    const auto make = [&] { return std::make_shared<const TargetTerms>(terms_for_target(*terms_, y)); };
    return memory_ ? memory_->target_terms.get(key_ + " " + content_key(y), make) : make();
  }

 private:
  TestMemory* memory_;
  std::string key_;
  std::shared_ptr<const ZTerms> terms_;
};

/// The level at which a dependence needs no other look.
double beyond_doubt(const TestOptions& options) {
  if (options.stop != StopRule::fast) return 0;
  return options.smallest_level > 0 ? options.smallest_level : options.alpha * options.resampling_risk;
}

/// Shares of the level: of dependence of any kind, which neighbourhoods see well given few columns, and of the
/// covariance, which sees most given many.
struct Shares {
  explicit Shares(const Variable& z) : dependence(width(z) < many_columns ? 0.5 : 0.2) {}
  double dependence, covariance = 1 - dependence;
};

double shared(double p, double share) {
  return std::isnan(p) ? p : std::min(1.0, p / share);
}

void take_share(double share, CiResult& look) {
  look.p_value = shared(look.p_value, share);
  look.tail_p = shared(look.tail_p, share);
}

/// The first look as a result: information is that of Gaussians with the correlation that has as many deviations.
CiResult vary_together(const Remainders& left, const ZTerms& z) {
  const WeightedCovariance look = weighted_covariance(left, z.weights());
  CiResult result;
  result.n = static_cast<std::size_t>(left.x.columns.rows());
  const double squares = look.deviations * look.deviations;
  result.statistic = 0.5 * std::log1p(squares / static_cast<double>(result.n));
  result.effect = 0.5 * std::log1p(std::max(0.0, squares - 1) / static_cast<double>(result.n));
  result.null_mean = result.statistic - result.effect;
  result.z_score = look.deviations;
  result.null_sd = look.deviations > 0 ? result.effect / look.deviations : 0;
  result.k = result.n;
  result.rule = "covariance";
  result.p_value = result.tail_p = look.p_value;
  result.stopped = "no permutation needed";
  return result;
}

/// The second look: free exchange of remainders and, where that finds something that `covariance_p` does not say as
/// well, local exchange given z, or given fitted values in the place of many columns. `asked_from_alpha` becomes the
/// alpha from which on the local one is asked.
CiResult test_dependence(const Remainders& left, const Variable& x, const Variable& y, const Variable& z,
                         const TestOptions& options, const TestContext& context, const InnerTest& inner,
                         double covariance_p, double& asked_from_alpha) {
  TestOptions ranks = options;
  ranks.transform = Transform::automatic;
  TestContext local = context;
  local.earlier = nullptr;
  TestContext within = local;
  within.fitted = left.fitted;
  std::optional<CiResult> freely;
  if (left.x.single && left.y.single)
    freely = inner(left.x.numbers.front(), left.y.numbers.front(), Variable(), ranks, within);
  if (freely) {
    const double p = shared(resolved_p(*freely), Shares(z).dependence);
    if (p >= covariance_p) return *std::move(freely);
    asked_from_alpha = p;
    if (p > options.alpha) return *std::move(freely);
  }
  const auto given_fitted = [&] {
    std::vector<std::vector<double>> fitted = left.x.fitted;
    fitted.insert(fitted.end(), left.y.fitted.begin(), left.y.fitted.end());
    return inner(block(left.x, x), block(left.y, y), block(fitted), options, within);
  };
  CiResult locally = width(z) == 1 ? inner(x, y, z, options, local) : given_fitted();
  return !freely || resolved_p(locally) > resolved_p(*freely) ? locally : *std::move(freely);
}

Remainders free_of(const Shared& z, const Variable& x, const Variable& y) {
  return remainders(z.terms(), x, *z.for_target(y));
}

/// The automatic test on samples as they are, enough of them for a regression; tables of counts are exact as they are.
bool can_be_freed(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                  const TestContext& context) {
  const bool automatic = options.k.is_automatic() && !options.no_correlation && !options.no_adjustment &&
                         (options.transform == Transform::automatic || options.transform == Transform::block);
  const bool tables = x.numeric().empty() && y.numeric().empty() && z.numeric().empty();
  return !z.empty() && automatic && !tables && context.folds.empty() && context.score.empty() &&
         context.tolerance == 0 && x.samples() >= std::max(least_samples, samples_per_column * width(z));
}

constexpr const char *asked_from = " local from", *not_asked_below = " free below";

/// `limit`: the alpha from which on the local hypothesis is asked; NaN: it is asked in any case, or never.
void finish(const TestOptions& options, double limit, CiResult& result) {
  result.conditioned = true;
  result.judged_by = rules_of(options);
  if (options.stop == StopRule::never && !std::isnan(limit))
    result.judged_by += fmt::format("{} {}", limit <= options.alpha ? asked_from : not_asked_below, limit);
}

/// Share of the variance of x or y below which what z leaves of it cannot be told from how well z was measured.
constexpr double least_left = 0.02;

}  // namespace

std::string rules_of(const TestOptions& o) {
  if (o.stop == StopRule::never) return fmt::format("all of {};", o.permutations);
  return fmt::format("{} {} {} {} {} {};", o.alpha, o.min_cmi, static_cast<int>(o.stop), o.resampling_risk,
                     o.permutations, o.smallest_level);
}

void note_what_is_left(double of_x, double of_y, CiResult& result) {
  for (const auto& [name, left] : {std::pair("x", of_x), std::pair("y", of_y)}) {
    if (left >= least_left) continue;
    result.undecidable = true;
    result.notes.push_back(
        fmt::format("z explains all but {:.2g}% of the variance of {}: so little is left that neither dependence nor "
                    "independence can be told",
                    100 * left, name));
  }
}

bool asks_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                     const TestContext& context) {
  return can_be_freed(x, y, z, options, context) && (width(z) >= many_columns || options.remainders_of_few);
}

CiResult test_remainders(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                         const TestContext& context, const InnerTest& inner) {
  const Shared same_z(z, context.memory);
  const Remainders left = free_of(same_z, x, y);
  CiResult result = vary_together(left, same_z.terms());
  take_share(Shares(z).covariance, result);
  double asked_from_alpha = std::nan("");
  if (resolved_p(result) > beyond_doubt(options)) {
    CiResult depend = test_dependence(left, x, y, z, options, context, inner, resolved_p(result), asked_from_alpha);
    take_share(Shares(z).dependence, depend);
    if (resolved_p(depend) < resolved_p(result)) result = std::move(depend);
  }
  finish(options, asked_from_alpha, result);
  if (width(z) >= many_columns)
    result.notes.insert(result.notes.begin(),
                        fmt::format("given {}, the test asks what a regression on {} leaves of both variables",
                                    base::number_of(width(z), "column"), width(z) == 1 ? "it" : "them"));
  if (!result.undecidable) note_what_is_left(left.x.left, left.y.left, result);  // else the test given z said so
  return result;
}

bool judged_alike(const std::string& judged_by, const TestOptions& options) {
  const std::string rules = rules_of(options);
  if (!judged_by.starts_with(rules)) return false;
  const std::string rest = judged_by.substr(rules.size());
  if (rest.empty()) return true;
  const bool asked_locally = options.alpha >= std::stod(rest.substr(rest.rfind(' ')));
  return asked_locally == rest.starts_with(asked_from);
}

}  // namespace macmi::citest
