#include "macmi/ci_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "citest/common_labels.hpp"
#include "citest/null/null_distribution.hpp"
#include "citest/null/null_trace.hpp"
#include "citest/null/stopping.hpp"
#include "citest/null/tolerance.hpp"
#include "citest/remainders/remainder_test.hpp"
#include "citest/test_folds.hpp"
#include "citest/test_memory.hpp"
#include "citest/units/unit_test.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

/// The options of a test with those that follow from its variables.
TestOptions resolved(const Variable& x, const Variable& y, const Variable& z, TestOptions options) {
  if (options.permutations == 0) throw InputError("--permutations must be at least 1");
  if (options.neighbours == 0) throw InputError("--neighbours must be at least 1");
  options.transform = used_transform(x, y, z, options);
  return options;
}

/// One test: the statistics of its folds as observed, and their null distribution, which grows until there is reason to
/// stop.
class Test {
 public:
  Test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, const TestContext& context)
      : options_(resolved(x, y, z, options)), context_(context), folds_(x, y, z, options_, context) {
    result_.n = folds_.samples();
    result_.left_out = folds_.alone();
    result_.conditioned = !z.empty();
    const TieRule ties = folds_.ties();
    result_.rule = ties == TieRule::mixed ? "mixed" : ties == TieRule::counts ? "counts" : "continuous";
    result_.permuted = folds_.permutes_y() ? "y" : "x";
    if (z.numeric().size() >= many_columns)
      result_.notes.push_back(
          fmt::format("z has {} columns: samples near each other in all of them are rare, so permuted "
                      "values come from farther away and p-values may be off; fewer columns, or a "
                      "map of them, are safer",
                      z.numeric().size()));
    note_what_is_left(folds_.left_of_x(), folds_.left_of_y(), result_);
  }

  CiResult run() {
    if (folds_.constant()) return nothing_varies();
    if (folds_.looks_wide() && correlation_may_decide(options_, result_.conditioned) && decided_by_correlation())
      return result_;
    NullDistribution null(tolerated(folds_.mean([](Fold& fold) { return fold.observed(); })), folds_.scales(),
                          folds_.wide());
    restore(null);
    for (std::size_t drawn = null.looked();;) {
      tell(drawn);
      const std::size_t next = next_permutations(options_, drawn, null.exceedances(), folds_.first().near_rows());
      null.add(folds_.mean_permuted(folds_.scales(), [&](Fold& fold) { return fold.permuted(drawn, next); }));
      drawn += next;
      if (stop(null, drawn)) break;
    }
    report(null);
    return result_;
  }

 private:
  CiResult nothing_varies() {
    result_.notes.push_back("x or y is constant: nothing can depend on it");
    result_.stopped = "no permutation needed";
    result_.k = folds_.first().ks().front();
    return result_;
  }

  void tell(std::size_t drawn) const {
    if (context_.progress && !context_.progress(drawn, options_.permutations)) throw Cancelled();
  }

  /// A first look at the residual correlation, which costs next to nothing beside neighbours.
  bool decided_by_correlation() {
    tell(0);
    NullDistribution correlation(tolerated(folds_.mean([](Fold& fold) { return fold.observed_correlation(); })), 1,
                                 folds_.wide());
    correlation.add(folds_.mean_permuted(1, [](Fold& fold) { return fold.permuted_correlations(look_every); }));
    correlation.look(look_every);
    if (!correlation_decides(options_, correlation)) return false;
    judge_by_correlation(correlation, listed_directions(), result_);
    add_notes();
    return true;
  }

  /// Observed values less what is tolerated.
  std::vector<double> tolerated(std::vector<double> observed) const {
    if (context_.tolerance == 0) return observed;
    const std::size_t information = observed.size() - (folds_.looks_wide() ? 1 : 0);
    for (std::size_t q = 0; q < information; ++q) observed[q] -= context_.tolerance;
    if (!folds_.looks_wide()) return observed;
    const std::vector<double> permuted = folds_.mean([](Fold& fold) { return fold.permuted_correlations(look_every); });
    observed.back() = less_information(observed.back(), permuted, context_.tolerance, folds_.wide());
    return observed;
  }

  /// Takes up what an earlier outcome of this test drew.
  void restore(NullDistribution& null) const {
    if (!context_.earlier || context_.earlier->scales.size() != folds_.scales()) return;
    const NullTrace& earlier = context_.earlier->null;
    if (const std::size_t looks = looks_to_restore(earlier, options_, folds_.several())) null.restore(earlier, looks);
  }

  bool stop(NullDistribution& null, std::size_t drawn) {
    while (null.looked() < drawn) {
      null.look(std::min((null.looked() / look_every + 1) * look_every, drawn));
      result_.stopped = reason_to_stop(options_, null, folds_.ties() == TieRule::counts);
      if (!result_.stopped.empty()) return true;
    }
    return false;
  }

  std::size_t listed_directions() const { return folds_.wide().look == WideLook::trace ? folds_.wide().directions : 0; }

  void report(const NullDistribution& null) {
    const std::vector<double> exact = folds_.mean([](Fold& fold) { return fold.exact_statistics(); });
    for (std::size_t q = 0; q < exact.size(); ++q)
      result_.scales.push_back({.k = folds_.first().ks()[q], .statistic = exact[q]});
    if (folds_.looks_wide()) result_.scales.push_back({.k = result_.n, .directions = listed_directions()});
    judge(null, result_);
    result_.null = null.trace();
    add_notes();
  }

  void add_notes() {
    if (const Fold& first = folds_.first(); first.centres() < first.samples())
      result_.notes.push_back(fmt::format(
          "neighbourhoods around {} of {} samples{}{} (--centres)", first.centres(), first.near_rows(),
          folds_.several() ? " in each fold" : "",
          first.near_rows() < first.samples() ? fmt::format(", the correlation over all {}", first.samples()) : ""));
    if (result_.left_out > 0)
      result_.notes.push_back(fmt::format(
          "samples that add nothing, as no other sample has their combination of categories: {}", result_.left_out));
    if (!folds_.on_lattice())
      result_.notes.push_back(
          "a few values are so far out that the fast engine cannot resolve the others, which takes the slower "
          "exact one; --transform ranks would be fast");
  }

  TestOptions options_;
  const TestContext& context_;
  TestFolds folds_;
  CiResult result_;
};

CiResult tested(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                const TestContext& context) {
  if (asks_units(context)) return test_units(x, y, z, options, context);
  const auto test = [](const Variable& a, const Variable& b, const Variable& given, const TestOptions& o,
                       const TestContext& c) { return Test(a, b, given, o, c).run(); };
  if (asks_remainders(x, y, z, options, context)) return test_remainders(x, y, z, options, context, test);
  TestContext own = context;
  if (own.earlier && !own.earlier->judged_by.empty()) own.earlier = nullptr;  // its permutations were of remainders
  return test(x, y, z, options, own);
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
