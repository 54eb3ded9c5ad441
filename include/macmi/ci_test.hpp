#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "macmi/estimate.hpp"
#include "macmi/options.hpp"
#include "macmi/variable.hpp"

namespace macmi {

/// When to stop drawing permutations; looked at after every 64.
enum class StopRule {
  never,  ///< all of them
  exact,  ///< as soon as the remaining ones cannot change the decision at alpha
  fast,   ///< as soon as the decision is the one of infinitely many, but for a probability of `resampling_risk`; with
          ///< `k` automatic and z, a residual correlation beyond doubt decides without neighbours (docs/citest.md)
  automatic,  ///< exact; fast where there are so many samples that neighbourhoods are looked at in a part of them
};

/// The variable that is exchanged between samples near in z.
enum class Permuted {
  classes,  ///< a class rather than numbers, where something is given (docs/citest.md says why); x otherwise
  x,
  y,
  automatic,  ///< likewise, and of numbers those with fewer columns
};

struct TestOptions {
  NeighbourCount k = NeighbourCount::automatic();
  bool no_correlation = false;  ///< with `automatic`: k-NN statistics alone
  double alpha = 0.05;
  std::uint64_t permutations = 1000;
  std::uint64_t neighbours = 5;
  std::uint64_t centres = 8000;  ///< samples at which neighbourhoods are looked at, of more; 0: all (docs/citest.md)
  bool no_adjustment = false;    ///< exchange x as it is (Runge 2018), what z explains of it included
  Transform transform = Transform::automatic;
  TieRule ties = TieRule::automatic;
  double z_weight = 1.0;
  StopRule stop = StopRule::automatic;
  double resampling_risk = 1e-3;
  /// Under `fast`, a dependence goes on being tested until its p-value is clear of this smaller level, too, by the
  /// fitted tail of the null: what Benjamini-Hochberg over many features needs. 0: alpha alone counts.
  double smallest_level = 0;
  /// Given one or two columns, too, ask what a regression on them leaves of x and y, as searches do (docs/citest.md).
  bool remainders_of_few = false;
  Permuted permute = Permuted::classes;
  double min_cmi = 0;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(TestOptions& options);

/// Resolves `automatic` for a test of these variables: ranks where nothing is conditioned on and neither x nor y has
/// several numeric columns (information does not change with the scale, and weak dependence shows best between even
/// margins: docs/citest.md), block otherwise.
Transform used_transform(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options);

/// Resolves `automatic` for a test of n samples.
StopRule used_stop(const TestOptions& options, std::size_t n);

/// One number of neighbours of a k-NN test; k = 0 is a table of categories as a whole. k = n, all samples, stands for
/// the correlation of what z leaves of x and y (docs/citest.md): its effect is the information of Gaussians whose
/// correlation exceeds the null's mean as much, and its statistic is the same, the null's mean being counted as none.
struct CiScale {
  std::size_t k = 0;
  double statistic = 0;  ///< nats, as `macmi estimate` gives it; with fewer centres than samples, over the centres
  double effect = 0;     ///< statistic minus the null's mean
  double null_sd = 0;
  double z_score = 0;  ///< effect / null_sd
  /// With k = n: how many squared canonical correlations are summed (Pillai's trace); 0: a single correlation.
  std::size_t directions = 0;
};

/// Where the permuted statistics fell, in equal bins.
struct NullHistogram {
  double low = 0, high = 0;           ///< nats, on the scale of CiResult::statistic
  std::vector<std::uint32_t> counts;  ///< one per bin; empty for tests without permutations
};

/// A null distribution as it grew, look by look: enough to apply another level or stopping rule to the permutations
/// that were drawn, and to go on where they ended, with the bits of a test made afresh.
struct NullTrace {
  struct Look {
    std::size_t drawn = 0, exceedances = 0;
    bool operator==(const Look&) const = default;
  };
  std::vector<Look> looks;
  std::vector<double> sums, squares;   ///< element [look * scales + q]: of permuted minus observed, over all drawn
  std::vector<double> centre, spread;  ///< by scale: what makes the k comparable, from the first permutations
  std::string bins;           ///< [look][scale][bin]: how many more permutations since the look before, a byte each
  double observed_score = 0;  ///< the observed looks combined, in deviations of the first permutations
  std::vector<double> score_moments;  ///< [look][0 … 2]: sums of the permuted scores, their squares and cubes
  bool operator==(const NullTrace&) const = default;
};

/// The outcome of one test of x independent of y given z.
struct CiResult {
  double statistic = 0;  ///< nats for the k-NN test; the method's own statistic otherwise
  double effect = 0;     ///< statistic minus the null's mean: thresholds in nats apply to this
  double tail_p = std::numeric_limits<double>::quiet_NaN();  ///< by a tail fitted to the permuted scores; NaN: none
  double p_value = 1;                                        ///< docs/citest.md: its meaning under each stopping rule
  std::size_t permutations = 0;                              ///< used; 0 for tests without permutations
  std::size_t exceedances = 0;  ///< permutations whose statistic was at least the observed one
  double null_mean = 0;
  double null_sd = 0;
  double z_score = 0;        ///< effect / null_sd; ranks results whose p-values are all as small as they can be
  std::size_t n = 0;         ///< samples used
  bool conditioned = false;  ///< z was not empty
  bool undecidable = false;  ///< z leaves so little of x or y that neither answer means anything; a note says why
  std::size_t left_out = 0;  ///< samples of those alone in their combination of categories: they add 0 (docs/citest.md)
  std::size_t k = 0;         ///< neighbours behind `statistic`; 0 where the method has none
  std::string rule;          ///< "continuous", "mixed", "counts" or the method's name
  std::string stopped;       ///< why no more permutations were drawn; empty for tests without
  std::string permuted;      ///< "x" or "y"; empty for tests without permutations
  /// Of a test that asked what z leaves: the options it was judged by. Under others it has to be made again.
  std::string judged_by;
  NullHistogram null_histogram;    ///< of the k behind `statistic`
  std::vector<CiScale> scales;     ///< every k that was looked at; the one behind `statistic` has the largest z_score
  std::vector<std::string> notes;  ///< for the user: samples that add nothing, warnings
  NullTrace null;                  ///< of a test with permutations
  /// With learned maps: what the surrogate gains from x on samples it was not trained on, nats per sample; NaN:
  /// unknown.
  double gain = std::numeric_limits<double>::quiet_NaN();
  double gain_error = std::numeric_limits<double>::quiet_NaN();  ///< its standard error
};

/// The p-value to rank and to compare many tests by: the fitted tail's where fewer than ten permutations exceed the
/// observed statistic, so that counting them cannot tell small values apart; p_value otherwise.
double resolved_p(const CiResult& result);

/// Intermediate results that tests on the same samples share. Results are the same without it.
/// Thread-safe.
class TestMemory;
std::shared_ptr<TestMemory> make_test_memory();

/// The names of a test, and how it is watched. Names key the random numbers: the same names, data and seed give the
/// same bits whatever else runs, in whatever order. Left empty, the names of the columns are used.
struct TestContext {
  std::string x = {}, y = {};
  std::vector<std::string> z = {};  ///< in any order
  /// One number per sample: neighbours and permutations stay within the samples of the same fold.
  std::span<const std::int32_t> folds = {};
  /// One number per sample: samples with the same number belong to one unit (a patient, a drive) and are not
  /// exchangeable; their order counts. Empty: every sample stands for itself. Not with folds.
  std::span<const std::int32_t> units = {};
  /// The samples are one series in the order of time; the units are then of no account.
  bool one_series = false;
  /// One number per sample that predicts y from x beside z, made without these samples' y: with k automatic it stands
  /// for x in the residual correlation, whatever the columns of x.
  std::span<const double> score = {};
  /// Information between x and y given z, nats, that is no dependence yet: what z may lack of the variables it stands
  /// for. The null distribution is raised by it.
  double tolerance = 0;
  /// Called between batches of permutations with those done and the most there can be; false cancels (Cancelled).
  std::function<bool(std::size_t done, std::size_t total)> progress = {};
  /// This very test as it was made before, perhaps with other alpha, min_cmi, stop, resampling_risk or permutations:
  /// its permutations are not drawn again. The result is the one of a test made afresh.
  const CiResult* earlier = nullptr;
  /// Parameters of a regression that x and y have been freed of before the test.
  std::size_t fitted = 0;
  TestMemory* memory = nullptr;
};

/// Conditional independence of x and y given z (independence when z is empty), by k-nearest-neighbour conditional
/// mutual information and local permutations (Runge 2018). The same bits for any number of threads and any CPU.
CiResult ci_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options = {},
                 const TestContext& context = {});

/// The result of ci_test under these options, where the permutations of an earlier test with the same data, seed and
/// other options are enough to tell; nothing where more must be drawn. Only alpha, min_cmi, stop, resampling_risk and
/// permutations may differ. Microseconds.
std::optional<CiResult> decide_again(const CiResult& earlier, const TestOptions& options);

struct TestRequest {
  Variable x, y, z;
  TestContext context = {};  ///< its progress is not called
};

/// Many tests, on all threads; results in the order of the requests, each the same as ci_test would give.
std::vector<CiResult> ci_tests(std::span<const TestRequest> requests, const TestOptions& options = {},
                               const std::function<bool(std::size_t done, std::size_t total)>& progress = {});

/// Conditional independence of one target from m named features: all that the blanket search sees. It may be backed by
/// k-NN tests on raw or mapped samples, by a baseline, or by a d-separation oracle.
class TargetCiTest {
 public:
  virtual ~TargetCiTest() = default;
  virtual std::span<const std::string> features() const = 0;
  /// Feature `x` against the target given the features `given`. Thread-safe; the same bits whatever the order of calls,
  /// the order of `given` and the order of the features.
  virtual CiResult test(std::size_t x, std::span<const std::size_t> given) const = 0;
  /// The same where an earlier outcome of this test is known (see TestContext::earlier): it may be used, and the bits
  /// are those of test().
  virtual CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const {
    (void)earlier;
    return test(x, given);
  }
  /// The result of test_again(), where the earlier outcome tells it without a look at the samples.
  virtual std::optional<CiResult> decided(const CiResult& earlier) const {
    (void)earlier;
    return std::nullopt;
  }
  /// True where test() takes its outcome from a store: nothing else needs to be begun meanwhile.
  virtual bool stored(std::size_t x, std::span<const std::size_t> given) const {
    (void)x;
    (void)given;
    return false;
  }
};

}  // namespace macmi
