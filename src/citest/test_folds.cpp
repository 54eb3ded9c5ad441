#include "citest/test_folds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "citest/fold_problem.hpp"
#include "citest/fold_test.hpp"
#include "citest/null/fold_pairing.hpp"
#include "citest/null/stopping.hpp"
#include "citest/permutation/test_stream.hpp"
#include "citest/shared_null.hpp"
#include "citest/table_fold.hpp"
#include "citest/test_memory.hpp"

namespace macmi::citest {
namespace {

std::size_t width(const Variable& variable) {
  return variable.numeric().size() + variable.categorical().size();
}

bool is_class(const Variable& variable) {
  return variable.numeric().empty() && !variable.categorical().empty();
}

/// A class has noise of its own, so that its probabilities differ little between neighbours in z, where numbers that
/// follow z closely differ much; and neighbours in numbers and z stay the same when a class is exchanged. With nothing
/// given, exchanging either is the same, and single columns have an engine of their own.
bool y_is_exchanged(const Variable& x, const Variable& y, const Variable& z, Permuted permute) {
  if (permute == Permuted::x || permute == Permuted::y) return permute == Permuted::y;
  if (is_class(x) != is_class(y) && (!z.empty() || width(x) + width(y) > 2)) return is_class(y);
  return permute == Permuted::automatic && width(y) < width(x);
}

}  // namespace

TestFolds::TestFolds(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                     const TestContext& context)
    : options_(options),
      context_(context),
      permutes_y_(y_is_exchanged(x, y, z, options.permute)),
      samples_(x.samples()),
      smallest_fold_(samples_),
      rows_(split_by_fold(context.folds, samples_)) {
  const EstimateOptions estimate = estimate_options(options, options.ties);
  const estimation::PreparedSample all = estimation::prepare(x, y, z, estimate);
  ties_ = all.ties;
  if (options.k.is_automatic() && !options.no_correlation)
    wide_.look = ResidualCorrelation::look(all.sample, !context.score.empty());
  const base::StreamKey stream = test_stream(x, y, z, options, context, permutes_y_);
  for (const FoldRows& rows : rows_) smallest_fold_ = std::min(smallest_fold_, rows.size());
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    const bool whole = rows_.size() == 1;
    const auto taken = [&](const Variable& v) {
      return whole ? v : copies_.emplace_back(std::make_unique<VariableRows>(v, rows_[f]))->view();
    };
    const Variable permuted = taken(permutes_y_ ? y : x), fixed = taken(permutes_y_ ? x : y), given = taken(z);
    const base::StreamKey own = whole ? stream : stream.with(f);
    if (ties_ == TieRule::counts && context.score.empty())  // either side may be exchanged
      folds_.push_back(
          std::make_unique<TableFold>(whole ? all.sample : estimation::prepare(permuted, fixed, given, estimate).sample,
                                      wide_.look, options.threads, own));
    else
      folds_.push_back(make_fold(permuted, fixed, given, rows_[f], own));
    if (wide_.look == WideLook::trace) wide_.directions = std::max(wide_.directions, folds_.back()->directions());
  }
}

std::unique_ptr<Fold> TestFolds::make_fold(const Variable& permuted, const Variable& fixed, const Variable& z,
                                           const FoldRows& rows, const base::StreamKey& stream) {
  Correlate correlate{wide_.look, permutes_y_, {}, context_.fitted};
  if (!context_.score.empty())
    for (const std::size_t i : rows) correlate.score.push_back(context_.score[i]);
  const std::string kinds = shared_kinds(permuted, fixed, z);
  const base::StreamKey key = kinds.empty() ? stream : base::StreamKey(options_.seed).with("shared null").with(kinds);
  auto fold = std::make_unique<FoldTest>(permuted, fixed, z, options_, ties_, correlate, key, smallest_fold_);
  if (!kinds.empty()) fold->share(shared_null(kinds, permuted, fixed, fold->ks(), key));
  return fold;
}

/// The name of the null distribution that single columns with nothing given share with others; empty: none.
std::string TestFolds::shared_kinds(const Variable& x, const Variable& y, const Variable& z) const {
  if (!z.empty() || rows_.size() > 1 || !context_.score.empty() || options_.transform != Transform::ranks) return {};
  const std::string kind_x = shared_kind(x), kind_y = shared_kind(y);
  return kind_x.empty() || kind_y.empty() ? "" : fmt::format("{} against {} of {}", kind_x, kind_y, x.samples());
}

std::shared_ptr<SharedNull> TestFolds::shared_null(const std::string& kinds, const Variable& x, const Variable& y,
                                                   const std::vector<std::size_t>& ks,
                                                   const base::StreamKey& stream) const {
  const auto make = [&] { return std::make_shared<SharedNull>(x, y, options_, ties_, wide_.look, stream); };
  if (!context_.memory) return make();
  return context_.memory->nulls.get(
      fmt::format("{} seed {} k {} centres {} look {} ties {}", kinds, options_.seed, fmt::join(ks, ","),
                  options_.centres, static_cast<int>(wide_.look), static_cast<int>(ties_)),
      make);
}

bool TestFolds::constant() const {
  return std::all_of(folds_.begin(), folds_.end(), [](const auto& fold) { return fold->constant(); });
}

bool TestFolds::on_lattice() const {
  return std::all_of(folds_.begin(), folds_.end(), [](const auto& fold) { return fold->on_lattice(); });
}

std::size_t TestFolds::alone() const {
  std::size_t count = 0;
  for (const auto& fold : folds_) count += fold->alone();
  return count;
}

double TestFolds::share(const Fold& fold) const {
  return static_cast<double>(fold.samples()) / static_cast<double>(samples_);
}

double TestFolds::left_of_permuted() const {
  double left = 0;
  for (const auto& fold : folds_) left += share(*fold) * fold->left_of_permuted();
  return left;
}

double TestFolds::left_of_fixed() const {
  double left = 0;
  for (const auto& fold : folds_) left += share(*fold) * fold->left_of_fixed();
  return left;
}

std::vector<double> TestFolds::mean(const std::function<std::vector<double>(Fold&)>& ask) const {
  if (folds_.size() == 1) return ask(*folds_.front());
  std::vector<double> sum;
  for (const auto& fold : folds_) {
    const std::vector<double> values = ask(*fold);
    sum.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += share(*fold) * values[i];
  }
  return sum;
}

std::vector<double> TestFolds::mean_permuted(std::size_t scales_asked,
                                             const std::function<std::vector<double>(Fold&)>& ask) const {
  if (folds_.size() == 1) return ask(*folds_.front());
  std::vector<FoldStatistics> parts;
  for (const auto& fold : folds_) parts.push_back({ask(*fold), share(*fold)});
  return add_by_rank(parts, scales_asked, look_every);
}

}  // namespace macmi::citest
