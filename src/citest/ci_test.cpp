#include "macmi/ci_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/parallel.hpp"
#include "citest/common_labels.hpp"
#include "citest/fold_rows.hpp"
#include "citest/fold_test.hpp"
#include "citest/null/fold_pairing.hpp"
#include "citest/null/null_distribution.hpp"
#include "citest/null/null_trace.hpp"
#include "citest/null/stopping.hpp"
#include "citest/remainders/remainder_test.hpp"
#include "citest/table_fold.hpp"
#include "citest/test_memory.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

std::vector<std::string> column_names(const Variable& variable) {
  std::vector<std::string> names;
  for (const auto& column : variable.numeric()) names.push_back(column.name);
  for (const auto& column : variable.categorical()) names.push_back(column.name);
  return names;
}

std::string name_of(const std::string& given, const Variable& variable) {
  return given.empty() ? fmt::format("{}", fmt::join(column_names(variable), ",")) : given;
}

base::StreamKey stream_of(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                          const TestContext& context, bool permute_y) {
  std::vector<std::string> given = context.z.empty() ? column_names(z) : context.z;
  std::sort(given.begin(), given.end());
  base::StreamKey key = base::StreamKey(options.seed).with("local permutations").with(permute_y ? 1 : 0);
  key = key.with(name_of(context.x, x)).with(name_of(context.y, y)).with(given.size());
  for (const std::string& name : given) key = key.with(name);
  return key;
}

std::size_t width(const Variable& variable) {
  return variable.numeric().size() + variable.categorical().size();
}

bool is_class(const Variable& variable) {
  return variable.numeric().empty() && !variable.categorical().empty();
}

/// A class has noise of its own, so that its probabilities differ little between neighbours in z, where numbers that
/// follow z closely differ much; and neighbours in numbers and z stay the same when a class is exchanged. With nothing
/// given, exchanging either is the same, and single columns have an engine of their own.
bool permutes_y(const Variable& x, const Variable& y, const Variable& z, Permuted permute) {
  if (permute == Permuted::x || permute == Permuted::y) return permute == Permuted::y;
  if (is_class(x) != is_class(y) && (!z.empty() || width(x) + width(y) > 2)) return is_class(y);
  return permute == Permuted::automatic && width(y) < width(x);
}

void check(const TestOptions& o) {
  if (o.permutations == 0) throw InputError("--permutations must be at least 1");
  if (o.neighbours == 0) throw InputError("--neighbours must be at least 1");
}

/// The whole test: its folds, and the null distribution that grows until there is reason to stop.
class Test {
 public:
  Test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, const TestContext& context)
      : options_(options), context_(context) {
    check(options);
    options_.transform = used_transform(x, y, z, options);
    EstimateOptions estimate;
    estimate.transform = options_.transform;
    estimate.ties = options.ties;
    estimate.z_weight = options.z_weight;
    const estimation::PreparedSample all = estimation::prepare(x, y, z, estimate);
    result_.rule = all.ties == TieRule::mixed ? "mixed" : all.ties == TieRule::counts ? "counts" : "continuous";
    const bool permute_y = permutes_y(x, y, z, options.permute);
    result_.conditioned = !z.empty();
    result_.permuted = std::string(1, permute_y ? 'y' : 'x');
    if (options.k.is_automatic() && !options.no_correlation)
      wide_.look = ResidualCorrelation::look(all.sample, !context.score.empty());
    const base::StreamKey stream = stream_of(x, y, z, options, context, permute_y);
    if (z.numeric().size() >= many_columns)
      result_.notes.push_back(
          fmt::format("z has {} columns: samples near each other in all of them are rare, so permuted "
                      "values come from farther away and p-values may be off; fewer columns, or a "
                      "map of them, are safer",
                      z.numeric().size()));
    rows_ = split_by_fold(context.folds, x.samples());
    std::size_t smallest_fold = x.samples();
    for (const FoldRows& rows : rows_) smallest_fold = std::min(smallest_fold, rows.size());
    for (std::size_t f = 0; f < rows_.size(); ++f) {
      const FoldRows* part = rows_.size() == 1 ? nullptr : &rows_[f];
      const auto taken = [&](const Variable& v) {
        return part ? copies_.emplace_back(std::make_unique<VariableRows>(v, *part))->view() : v;
      };
      const Variable px = taken(permute_y ? y : x), py = taken(permute_y ? x : y), pz = taken(z);
      const base::StreamKey own = rows_.size() == 1 ? stream : stream.with(f);
      if (all.ties == TieRule::counts && context.score.empty()) {  // which side is exchanged makes no difference
        const estimation::PreparedSample part_of_all =
            part ? estimation::prepare(px, py, pz, estimate) : estimation::PreparedSample();
        folds_.push_back(
            std::make_unique<TableFold>(part ? part_of_all.sample : all.sample, wide_.look, options_.threads, own));
      } else {
        const Correlate correlate{wide_.look, permute_y, scores_of(rows_[f]), context.fitted};
        const std::string kinds = shared_kinds(px, py, pz);
        const base::StreamKey key = kinds.empty() ? own : base::StreamKey(options.seed).with("shared null").with(kinds);
        auto fold = std::make_unique<FoldTest>(px, py, pz, options_, all.ties, correlate, key, smallest_fold);
        if (!kinds.empty()) fold->share(shared_null(kinds, px, py, all.ties, fold->ks(), key));
        folds_.push_back(std::move(fold));
      }
      result_.n += folds_.back()->samples();
      result_.left_out += folds_.back()->alone();
      if (wide_.look == WideLook::trace) wide_.directions = std::max(wide_.directions, folds_.back()->directions());
    }
  }

  CiResult run() {
    judge_what_z_leaves();
    if (std::all_of(folds_.begin(), folds_.end(), [](const auto& fold) { return fold->constant(); })) {
      result_.notes.push_back("x or y is constant: nothing can depend on it");
      result_.stopped = "no permutation needed";
      result_.k = folds_.front()->ks().front();
      return result_;
    }
    if (looks_wide() && correlation_may_decide(options_, result_.conditioned) && decided_by_correlation())
      return result_;
    NullDistribution null(tolerated(combine([](Fold& fold) { return fold.observed(); })), scales(), wide_);
    const bool same_scales = context_.earlier && context_.earlier->scales.size() == scales();
    if (const std::size_t looks =
            same_scales ? looks_to_restore(context_.earlier->null, options_, folds_.size() > 1) : 0)
      null.restore(context_.earlier->null, looks);
    for (std::size_t drawn = null.looked();;) {
      if (context_.progress && !context_.progress(drawn, options_.permutations)) throw Cancelled();
      const std::size_t next = std::min<std::size_t>(chunk(drawn) - drawn % look_every, options_.permutations - drawn);
      null.add(combine_permuted(scales(), [&](Fold& fold) { return fold.permuted(drawn, next); }));
      drawn += next;
      if (stop(null, drawn)) break;
    }
    report(null);
    return result_;
  }

 private:
  /// The name of the null distribution that single columns with nothing given share with others; empty: none.
  std::string shared_kinds(const Variable& x, const Variable& y, const Variable& z) const {
    if (!z.empty() || rows_.size() > 1 || !context_.score.empty() || options_.transform != Transform::ranks) return {};
    const std::string kind_x = shared_kind(x), kind_y = shared_kind(y);
    return kind_x.empty() || kind_y.empty() ? "" : fmt::format("{} against {} of {}", kind_x, kind_y, x.samples());
  }

  std::shared_ptr<SharedNull> shared_null(const std::string& kinds, const Variable& x, const Variable& y, TieRule ties,
                                          const std::vector<std::size_t>& ks, const base::StreamKey& stream) const {
    const auto make = [&] { return std::make_shared<SharedNull>(x, y, options_, ties, wide_.look, stream); };
    if (!context_.memory) return make();
    return context_.memory->nulls.get(
        fmt::format("{} seed {} k {} centres {} look {} ties {}", kinds, options_.seed, fmt::join(ks, ","),
                    options_.centres, static_cast<int>(wide_.look), static_cast<int>(ties)),
        make);
  }

  /// A first look at the residual correlation, which costs next to nothing beside neighbours.
  bool decided_by_correlation() {
    if (context_.progress && !context_.progress(0, options_.permutations)) throw Cancelled();
    NullDistribution correlation(tolerated(combine([](Fold& fold) { return fold.observed_correlation(); })), 1, wide_);
    correlation.add(combine_permuted(1, [](Fold& fold) { return fold.permuted_correlations(look_every); }));
    correlation.look(look_every);
    if (!correlation_decides(options_, correlation)) return false;
    judge_by_correlation(correlation, listed_directions(), result_);
    add_notes();
    return true;
  }

  /// Says so where z leaves next to nothing of x or of y.
  void judge_what_z_leaves() {
    double left_of_x = 0, left_of_y = 0;
    for (const auto& fold : folds_) {
      const double weight = static_cast<double>(fold->samples()) / static_cast<double>(result_.n);
      left_of_x += weight * fold->left_of_permuted();
      left_of_y += weight * fold->left_of_fixed();
    }
    if (result_.permuted == "y") std::swap(left_of_x, left_of_y);
    for (const auto& [name, left] : {std::pair("x", left_of_x), std::pair("y", left_of_y)}) {
      if (left >= least_left) continue;
      result_.undecidable = true;
      result_.notes.push_back(
          fmt::format("z explains all but {:.2g}% of the variance of {}: so little is left that neither dependence nor "
                      "independence can be told",
                      100 * left, name));
    }
  }

  /// Observed values less what is tolerated. A correlation comes nearer to the mean of the first permuted ones, so that
  /// the information of what it differs by, -½ log(1 - d²), is less by as much.
  std::vector<double> tolerated(std::vector<double> observed) {
    if (context_.tolerance == 0) return observed;
    const std::size_t information = observed.size() - (looks_wide() ? 1 : 0);
    for (std::size_t q = 0; q < information; ++q) observed[q] -= context_.tolerance;
    if (!looks_wide()) return observed;
    const std::vector<double> permuted = combine([](Fold& fold) { return fold.permuted_correlations(look_every); });
    observed.back() = less_information(observed.back(), permuted);
    return observed;
  }

  /// A trace comes down to what as many directions with less information have.
  double less_information(double observed, const std::vector<double>& permuted) const {
    const bool trace = wide_.look == WideLook::trace;
    const auto value = [&](double v) { return trace ? v * v * v : v; };
    double mean = 0;
    for (const double v : permuted) mean += value(v) / static_cast<double>(permuted.size());
    const double d = value(observed) - mean;
    if (!trace) {
      const double left = 1 - std::exp(2 * context_.tolerance) * (1 - d * d);
      return mean + std::copysign(std::sqrt(std::max(0.0, left)), d);
    }
    const auto s = static_cast<double>(wide_.directions);
    const double left = s * (1 - std::exp(2 * context_.tolerance / s) * (1 - d / s));
    return root_of_trace(mean + std::max(left, std::min(d, 0.0)));
  }

  std::vector<double> scores_of(const FoldRows& rows) const {
    std::vector<double> scores;
    if (!context_.score.empty())
      for (const std::size_t i : rows) scores.push_back(context_.score[i]);
    return scores;
  }

  std::size_t scales() const { return folds_.front()->ks().size() + (looks_wide() ? 1 : 0); }

  bool looks_wide() const { return wide_.look != WideLook::none; }
  std::size_t listed_directions() const { return wide_.look == WideLook::trace ? wide_.directions : 0; }

  /// Σ_f (n_f / n) of what each fold says.
  template <class Ask>
  std::vector<double> combine(Ask ask) {
    if (folds_.size() == 1) return ask(*folds_.front());
    std::vector<double> sum;
    for (const auto& fold : folds_) {
      const double weight = static_cast<double>(fold->samples()) / static_cast<double>(result_.n);
      const std::vector<double> values = ask(*fold);
      sum.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += weight * values[i];
    }
    return sum;
  }

  /// The same of permuted values, those of different folds paired by rank (fold_pairing.hpp).
  template <class Ask>
  std::vector<double> combine_permuted(std::size_t scales_asked, Ask ask) {
    if (folds_.size() == 1) return ask(*folds_.front());
    std::vector<FoldStatistics> parts;
    for (const auto& fold : folds_)
      parts.push_back({ask(*fold), static_cast<double>(fold->samples()) / static_cast<double>(result_.n)});
    return add_by_rank(parts, scales_asked, look_every);
  }

  /// Few at first, so that clear cases end soon; then many, so that what is per sample is shared. Results do not depend
  /// on it: the looks are the same.
  std::size_t chunk(std::size_t drawn) const {
    if (options_.stop != StopRule::never && drawn < 2 * look_every) return look_every;
    const std::size_t room =
        (std::size_t{1} << 26) / folds_.front()->near_rows();  // what the sources of all take up stays bounded
    const std::size_t most = options_.stop == StopRule::never ? 1024 : 256;
    return std::clamp(room / look_every * look_every, look_every, most);
  }

  bool stop(NullDistribution& null, std::size_t drawn) {
    while (null.looked() < drawn) {
      null.look(std::min((null.looked() / look_every + 1) * look_every, drawn));
      result_.stopped = reason_to_stop(options_, null, result_.rule == "counts");
      if (!result_.stopped.empty()) return true;
    }
    return false;
  }

  void report(const NullDistribution& null) {
    const std::vector<double> exact = combine([](Fold& fold) { return fold.exact_statistics(); });
    for (std::size_t q = 0; q < exact.size(); ++q)
      result_.scales.push_back({.k = folds_.front()->ks()[q], .statistic = exact[q]});
    if (looks_wide()) result_.scales.push_back({.k = result_.n, .directions = listed_directions()});
    judge(null, result_);
    result_.null = null.trace();
    add_notes();
  }

  void add_notes() {
    if (const Fold& first = *folds_.front(); first.centres() < first.samples())
      result_.notes.push_back(fmt::format(
          "neighbourhoods around {} of {} samples{}{} (--centres)", first.centres(), first.near_rows(),
          folds_.size() > 1 ? " in each fold" : "",
          first.near_rows() < first.samples() ? fmt::format(", the correlation over all {}", first.samples()) : ""));
    if (result_.left_out > 0)
      result_.notes.push_back(
          fmt::format("{} samples add nothing: no other sample has their combination of categories", result_.left_out));
    if (std::any_of(folds_.begin(), folds_.end(), [](const auto& fold) { return !fold->on_lattice(); }))
      result_.notes.push_back(
          "a few values are so far out that the fast engine cannot resolve the others, which takes the slower "
          "exact one; --transform ranks would be fast");
  }

  TestOptions options_;
  const TestContext& context_;
  CiResult result_;
  WideScale wide_;
  std::vector<FoldRows> rows_;
  std::vector<std::unique_ptr<VariableRows>> copies_;
  std::vector<std::unique_ptr<Fold>> folds_;
};

CiResult tested(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                const TestContext& context) {
  const auto test = [](const Variable& a, const Variable& b, const Variable& given, const TestOptions& o,
                       const TestContext& c) { return Test(a, b, given, o, c).run(); };
  if (asks_remainders(x, y, z, options, context)) return test_remainders(x, y, z, options, context, test);
  const std::optional<CiResult> covariance = look_at_covariance(x, y, z, options, context);
  if (covariance && covariance_decides(covariance->p_value, options)) return *covariance;
  CiResult result = test(x, y, z, options, context);
  if (covariance) result.covariance_p = covariance->p_value;
  return result;
}

}  // namespace
}  // namespace macmi::citest

namespace macmi {

Transform used_transform(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options) {
  if (options.transform != Transform::automatic) return options.transform;
  return z.empty() && x.numeric().size() <= 1 && y.numeric().size() <= 1 ? Transform::ranks : Transform::block;
}

double resolved_p(const CiResult& result) {
  constexpr std::size_t enough_exceedances = 10;
  const bool fitted = !std::isnan(result.tail_p) && result.exceedances < enough_exceedances;
  return fitted ? result.tail_p : result.p_value;
}

CiResult ci_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& asked,
                 const TestContext& context) {
  if (context.earlier)
    if (std::optional<CiResult> known = decide_again(*context.earlier, asked)) return *std::move(known);
  TestOptions options = asked;
  options.stop = used_stop(asked, x.samples());
  const bool numbers = !x.numeric().empty() || !y.numeric().empty() || !z.numeric().empty();
  if (!numbers) return citest::tested(x, y, z, options, context);  // tables take labels as they are
  const citest::CommonLabels common_x(x), common_y(y);
  CiResult result = citest::tested(common_x.view(), common_y.view(), z, options, context);
  for (const std::vector<std::string>& notes : {common_x.notes(), common_y.notes(), citest::notes_on_labels(z)})
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

std::shared_ptr<TestMemory> make_test_memory() {
  return std::make_shared<TestMemory>();
}

}  // namespace macmi
