#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "macmi/ci_test.hpp"
#include "macmi/measured_evidence.hpp"
#include "macmi/options.hpp"

namespace macmi {

/// The procedure that searches for the blanket (docs/search.md).
enum class SearchProcedure {
  fixpoint,  ///< Algorithm 1 gives the start; then all features are asked together until nothing changes
  paper,     ///< Algorithm 1 of Yang et al. (UAI 2020) with every test at alpha, and our shrink pass
};

/// How the Markov blanket of the target is searched.
struct SearchOptions {
  SearchProcedure search = SearchProcedure::fixpoint;
  std::uint64_t delta = 3;
  double alpha = 0.05;
  double min_cmi = 0;
  double fdr = 0.05;
  bool no_children = false;
  bool no_shrink = false;
  std::uint64_t shrink_limit = 0;
  std::vector<std::string> must = {};
  std::vector<std::string> never = {};
  std::uint64_t n_features = 0;
  std::uint64_t max_tests = 0;
  std::string budget = {};  ///< "90s", "10m", "2h"; empty: no limit
  std::uint64_t threads = 0;

  /// True if false discoveries are controlled over all features together: not with --fdr 0 or the paper's procedure.
  bool asks_all_together() const { return search == SearchProcedure::fixpoint && fdr > 0; }
};

/// Seconds in a text like "90s", "10m", "2h" or "45"; 0 for an empty one. Throws InputError naming --budget.
double budget_seconds(const std::string& text);

/// The one declaration of these options (names, defaults, meaning, range), without `threads`.
std::vector<Option> declare(SearchOptions& options);

/// Two features that tell more about the target together than both tell alone.
struct FeaturePair {
  std::string a, b;
  double information = 0;           ///< nats: what they tell together less what both tell alone
  double alone_a = 0, alone_b = 0;  ///< nats that each tells alone
};

/// Facts about the features that do not come from tests.
struct FeatureFacts {
  /// Groups of exact copies, by name. One of each group is searched, the others follow it.
  std::vector<std::vector<std::string>> duplicates = {};
  /// Columns of each feature, in the order of TargetCiTest::features(); empty: one each.
  std::vector<std::size_t> dimensions = {};
  /// The largest conditioning dimension at which the test has power: the paper's procedure does not
  /// re-test beyond it. The fixpoint asks whatever the dimension.
  std::size_t power_limit = std::numeric_limits<std::size_t>::max();
  /// Candidates that no marginal screen would see, the surest first: asked given each other, and where both depend on
  /// the target then, first members of the fixpoint. Not used by the paper's procedure.
  std::vector<FeaturePair> pairs = {};
};

/// One test: feature `feature` against the target given `given`, as indices into TargetCiTest::features().
struct TestRecord {
  std::size_t feature = 0;
  std::vector<std::size_t> given;
  CiResult result;
};

struct SearchProgress {
  std::string stage;           ///< "marginal screen", "adjacent features given 2", "given the members"
  std::size_t finished = 0;    ///< tests the search has used, and those evaluated ahead in the batch under way
  std::size_t expected = 0;    ///< tests it is expected to use in all: a rough forecast, revised as features fall
  std::size_t at_most = 0;     ///< the same if no further feature fell
  std::size_t candidates = 0;  ///< features still in the running
  /// Until the end, from tests measured here at each size of the conditioning set; NaN before any was.
  double seconds_left = std::numeric_limits<double>::quiet_NaN();
  std::string feature = {};             ///< of the test begun last
  std::vector<std::string> given = {};  ///< its conditioning set
};

/// Ways to follow and to stop a search. Calls come one at a time, from any thread.
struct SearchHooks {
  /// Every finished test, speculative ones too, in the order they finish.
  std::function<void(const TestRecord&)> on_test;
  /// When a test begins, when it is finished, and at every new stage; false stops the search with Cancelled.
  std::function<bool(const SearchProgress&)> on_progress;
  /// Tests finished in an earlier run with the same data and seed: not made again.
  std::vector<TestRecord> known;
};

enum class Role { adjacent, co_parent, excluded };
const char* text(Role role);  ///< "adjacent", "co-parent", "excluded"

/// Why a feature has its role.
enum class Reason {
  tested,       ///< the tests decided
  required,     ///< --must
  forbidden,    ///< --never
  copy,         ///< an exact copy of another feature, which was searched in its place
  not_reached,  ///< --max-tests or --budget ended the search before its first test
  too_weak,     ///< dependent at alpha given the members, but not where false discoveries among all features count
  undecidable,  ///< the conditioning set leaves almost nothing of the feature or of the target to be tested
  number_asked  ///< --n-features: in though the tests would leave it out, or out though they would keep it
};
/// "tested", "must", "never", "copy", "not reached", "too weak", "cannot be told apart", "n-features"
const char* text(Reason reason);

/// One test with the names of its conditioning set, sorted.
struct Evidence {
  std::vector<std::string> given;
  CiResult result;
};

/// One test that the algorithm used.
struct UsedTest {
  std::string feature;
  Evidence evidence;              ///< without the null's histogram
  std::string stage;              ///< as in SearchProgress
  std::optional<bool> dependent;  ///< the outcome; empty when the test could not be made
};

/// The other selected feature that this one tells something together with.
struct FeaturePartner {
  std::string name;
  double information = 0;  ///< nats that both tell beyond what each tells alone
  double alone = 0;        ///< nats that this feature tells alone
};

/// The search's verdict on one feature, with the reason.
struct FeatureVerdict {
  std::string name;
  Role role = Role::excluded;
  Reason reason = Reason::tested;
  /// Excluded: the test that made it redundant. Selected: the one given all other selected features where that was
  /// made, otherwise the weakest one it survived. Nothing where no test was made.
  std::optional<Evidence> deciding;
  std::optional<CiResult> marginal;         ///< the test given nothing
  std::vector<std::string> separating_set;  ///< of an excluded feature; sorted
  bool re_tested = false;                   ///< selected, and tested given all other selected features
  std::string same_as;                      ///< the feature it is a copy of
  /// Selected: the excluded features that could stand in its place. Given the other members each of them tells of the
  /// target, and once it is given, too, this feature tells nothing more. Sorted.
  std::vector<std::string> interchangeable;
  /// Selected, and found through a pair (FeatureFacts::pairs): the surest pair of it.
  std::optional<FeaturePartner> partner = {};
  std::vector<Evidence> near_misses;  ///< its tests that nearly came out the other way; nearest first, at most five
  std::size_t near_miss_count = 0;
  std::size_t tests = 0;  ///< tests of this feature that the search used
  /// Filled by select_features once the members are known; find_blanket leaves it empty.
  std::optional<MeasuredFeature> measured = {};
};

struct Blanket {
  std::vector<std::string> members;      ///< names, sorted
  std::vector<FeatureVerdict> features;  ///< all of them, sorted by name
  std::size_t tests = 0;                 ///< tests used; the same for any number of threads
  std::vector<UsedTest> log;             ///< those tests, in the order the algorithm used them
  bool partial = false;                  ///< --max-tests or --budget ended the search
  std::string stopped_in;                ///< the stage it ended in
  /// The p-value that a feature needs given the members, by Benjamini-Hochberg over all features; NaN where features
  /// were not asked together.
  double joint_level = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> notes;  ///< sentences for the user
};

/// The Markov blanket of the target by the procedure that the options name. Independent of the order of the features;
/// the same bits for any number of threads: tests are evaluated ahead in parallel and applied in the algorithm's order.
/// Only --budget, which reads the clock, is outside of this promise. No test is made twice. A test that could not be
/// made (its p is NaN) neither removes a feature nor adds one.
Blanket find_blanket(const TargetCiTest& test, const SearchOptions& options = {}, const FeatureFacts& facts = {},
                     const SearchHooks& hooks = {});

/// Tests to be expected when `candidates` features are about to be tested at levels `level` … `delta` out of
/// `features` in all, and then given the members.
inline constexpr double typically_kept = 0.4;
struct TestForecast {
  std::size_t expected = 0;           ///< if at every level `kept` of the candidates stay
  std::size_t at_most = 0;            ///< if none falls and none of the others is left out as co-parent
  std::vector<double> by_level = {};  ///< the expected ones by the size of the conditioning set
};
TestForecast forecast_tests(std::size_t features, std::size_t candidates, std::size_t level,
                            const SearchOptions& options, double kept = typically_kept);

}  // namespace macmi
