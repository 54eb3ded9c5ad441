#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/select.hpp"
#include "select/prepared_samples.hpp"

namespace macmi::select {

/// Any test of x and y given z; the names key random numbers.
using VariableTest =
    std::function<CiResult(const Variable& x, const Variable& y, const Variable& z, const TestContext& context)>;

/// The outcome of a test made before, as the present options judge it, where they need no look at the data.
using DecideAgain = std::function<std::optional<CiResult>(const CiResult& earlier)>;

/// Features of a data set against its target, each test on the samples that have a value in all it needs ("pairwise").
/// Random numbers are keyed, and columns ordered, by the content of the columns: neither their order nor their names
/// can change a bit of the result.
class DatasetTest : public SelectionTest {
 public:
  /// Fewer complete samples than this make no test: its p is NaN.
  static constexpr std::size_t least_samples = 10;
  /// Fewer than this show nothing but strong dependence, which results say.
  static constexpr std::size_t few_samples = 20;

  /// Without `again` every stored outcome is tested again.
  DatasetTest(PreparedSamples samples, VariableTest test, DecideAgain again = {});

  std::span<const std::string> features() const override { return prepared_.names; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override { return make(x, given, nullptr); }
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override;
  /// Features `a` and `b` against each other: the question is symmetric, and so is the answer, because their contents
  /// say which of them takes the target's place. `earlier` as in test_again; nothing: the test was never made.
  CiResult between(std::size_t a, std::size_t b, std::span<const std::size_t> given, const CiResult* earlier) const;
  /// The outcome of test_again, where it can be told without the samples.
  std::optional<CiResult> decided(const CiResult& earlier) const override;
  std::string packed() const override { return pack(prepared_); }

 private:
  using Part = PreparedFeature;
  /// The surrogate's contribution to a test (TestContext).
  struct Surrogate {
    std::vector<double> score;
    double tolerance = 0;
  };
  Surrogate ask_surrogate(std::size_t x, std::span<const std::size_t> given) const;
  CiResult make(std::size_t x, std::span<const std::size_t> given, const CiResult* earlier) const;
  CiResult make(const Part& x, const Part& y, std::span<const std::size_t> given, const Surrogate& surrogate,
                const CiResult* earlier) const;
  CiResult test_rows(const Part& x, const Part& y, const std::vector<const Part*>& given,
                     const std::vector<std::size_t>& rows, const Surrogate& surrogate, const CiResult* earlier) const;

  PreparedSamples prepared_;
  VariableTest test_;
  DecideAgain again_;
};

}  // namespace macmi::select
