#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "citest/fold.hpp"
#include "citest/fold_rows.hpp"
#include "citest/null/wide_look.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

class SharedNull;

/// The samples of one test, made ready fold by fold, and what the folds say together. The rule of ties, the scales and
/// the side that is exchanged are the same in all of them.
class TestFolds {
 public:
  /// The options' transform is resolved.
  TestFolds(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
            const TestContext& context);

  std::size_t samples() const { return samples_; }
  TieRule ties() const { return ties_; }
  bool permutes_y() const { return permutes_y_; }
  bool several() const { return folds_.size() > 1; }
  const Fold& first() const { return *folds_.front(); }
  const WideScale& wide() const { return wide_; }
  bool looks_wide() const { return wide_.look != WideLook::none; }
  std::size_t scales() const { return first().ks().size() + (looks_wide() ? 1 : 0); }
  bool constant() const;
  bool on_lattice() const;
  /// Samples that no other one shares its categories with.
  std::size_t alone() const;
  /// Shares of the variance of x and of y that z leaves.
  double left_of_x() const { return permutes_y_ ? left_of_fixed() : left_of_permuted(); }
  double left_of_y() const { return permutes_y_ ? left_of_permuted() : left_of_fixed(); }

  /// Σ_f (n_f / n) of what each fold says.
  std::vector<double> mean(const std::function<std::vector<double>(Fold&)>& ask) const;
  /// The same of permuted values, those of different folds paired by rank (fold_pairing.hpp).
  std::vector<double> mean_permuted(std::size_t scales_asked,
                                    const std::function<std::vector<double>(Fold&)>& ask) const;

 private:
  std::unique_ptr<Fold> make_fold(const Variable& permuted, const Variable& fixed, const Variable& z,
                                  const FoldRows& rows, const base::StreamKey& stream);
  std::string shared_kinds(const Variable& x, const Variable& y, const Variable& z) const;
  std::shared_ptr<SharedNull> shared_null(const std::string& kinds, const Variable& x, const Variable& y,
                                          const std::vector<std::size_t>& ks, const base::StreamKey& stream) const;
  double left_of_permuted() const;
  double left_of_fixed() const;
  double share(const Fold& fold) const;

  const TestOptions& options_;
  const TestContext& context_;
  TieRule ties_;
  bool permutes_y_;
  WideScale wide_;
  std::size_t samples_, smallest_fold_;
  std::vector<FoldRows> rows_;
  std::vector<std::unique_ptr<VariableRows>> copies_;
  std::vector<std::unique_ptr<Fold>> folds_;
};

}  // namespace macmi::citest
