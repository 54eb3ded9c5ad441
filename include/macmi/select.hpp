#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "macmi/blanket.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/dataset.hpp"
#include "macmi/learned_maps.hpp"
#include "macmi/maps.hpp"
#include "macmi/options.hpp"
#include "macmi/stability.hpp"

namespace macmi {

enum class Method {
  knn,      ///< k-NN conditional mutual information with local permutations: any kind of dependence
  fisherz,  ///< partial correlation: linear dependence only; fast, and the most powerful where all is linear
  // The methods the paper compares with (macmi/baselines.hpp):
  hsic,              ///< kernel test of independence, gamma approximation; nothing can be conditioned on
  hsic_permutation,  ///< the same with permutations
  sdcit,             ///< kernel test; HSIC where nothing is given
  ccit,              ///< boosted trees
};

/// The name of each method on the command line, in the order of Method.
std::vector<std::string> method_words();
const char* text(Method method);

/// Throws InputError where samples belong together (--unit, --time) and the method does not allow for that.
void expect_exchangeable(Method method, bool units);

/// One test by any method. Throws InputError where the method cannot condition and z is not empty.
CiResult ci_test_by(Method method, const Variable& x, const Variable& y, const Variable& z,
                    const TestOptions& options = {}, const TestContext& context = {});

/// Looking for features that tell something only together (docs/search.md, Pairs).
enum class Interactions {
  automatic,  ///< where it is cheap
  pairs,      ///< all pairs of columns
  none,
};

/// A value that several parts need is set in one of them: alpha, min_cmi and delta in `search`, seed and threads in
/// `test`. resolved() hands it to the others.
struct SelectOptions {
  SelectOptions();
  Method method = Method::knn;
  MapsOptions maps;
  SearchOptions search;
  TestOptions test;
  StabilityOptions stability;
  Interactions interactions = Interactions::automatic;
  bool no_evidence = false;  ///< the search alone: no second pass, no question whether it is enough
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(SelectOptions& options);

/// The options as a selection uses them: the values of the preset (MapsOptions::preset) where the user left the
/// default, and shared values in every part. Applying it twice changes nothing. Every function here that takes options
/// takes them as given and resolves them itself.
SelectOptions resolved(SelectOptions options);

/// All that a selection follows from: which data to read and how to select.
struct SelectionInputs {
  DataOptions data;  ///< its seed and threads are those of `select`: see data_options()
  SelectOptions select;
};

/// Every option of both, as `macmi select` takes them: one seed for all.
std::vector<Option> declare(SelectionInputs& inputs);
/// The data options with the selection's seed and threads.
DataOptions data_options(const SelectionInputs& inputs);

/// The target's name, kind and uncertainty; effects are shown as shares of the latter.
struct TargetSummary {
  std::string name;
  bool categorical = false;
  std::size_t classes = 0;  ///< of a categorical target
  double entropy = 0;       ///< nats, of a categorical target
};

/// An effect as a share of the target's uncertainty, 0 to 1. Categorical target: of its entropy. Continuous target,
/// whose differential entropy has no zero: 1 − exp(−2·effect), the share of the variance that this much information
/// explains between Gaussians (R²; with a conditioning set, of the variance it leaves), Linfoot's (1957) informational
/// measure of correlation squared.
double uncertainty_share(const TargetSummary& target, double effect);

/// The answer, with everything needed to explain it.
struct Selection {
  TargetSummary target;
  std::size_t samples = 0;
  Blanket blanket;
  std::string method;
  double alpha = 0.05;
  double min_cmi = 0;
  std::uint64_t delta = 3;
  bool no_children = false;
  std::uint64_t seed = 0;
  std::vector<MapSummary> maps;  ///< one for each feature, sorted by name; empty: features were tested as they are
  std::uint64_t folds = 1;       ///< parts of the samples with maps of their own
  double validation_gain = 0, training_gain = 0;  ///< of the surrogate (LearnedMaps)
  OptionTexts options;                            ///< deciding_options
  OptionTexts data_options;                       ///< of DataOptions, where the caller recorded them
  std::optional<Stability> stability;             ///< with SelectOptions::stability
  std::optional<Sufficiency> sufficiency;         ///< unless no_evidence, or the search is partial
  std::vector<std::string> health;                ///< health_lines of the data, names in order
  std::vector<MapPicture> map_pictures;           ///< of learned feature maps
  std::vector<TrainingCurve> training;
};

/// The Markov blanket of the data set's target among its features: learns feature maps where the options say so, then
/// searches on the maps. The same bits for any number of threads, any order and any names of the columns (names settle
/// exact ties). SelectionPipeline (macmi/selection_pipeline.hpp) does the same with a run directory or a cluster.
Selection select_features(const Dataset& data, const SelectOptions& options = {}, const SearchHooks& hooks = {},
                          const MapsHooks& maps_hooks = {});

/// The same on maps that were learned before on this data set.
Selection select_features(const Dataset& data, const LearnedMaps& maps, const SelectOptions& options = {},
                          const SearchHooks& hooks = {});

/// The test that a selection runs. Other processes can make it, too.
class SelectionTest : public TargetCiTest {
 public:
  /// The prepared samples as bytes, from which another process makes the same test.
  virtual std::string packed() const = 0;
};

/// The test that select_features runs on samples as they are, for callers with a search of their own; the data set must
/// outlive it. `cancelled` is asked many times within a long test, from any thread; true ends it with Cancelled.
/// `folds` as in TestContext.
std::unique_ptr<SelectionTest> make_selection_test(const Dataset& data, const SelectOptions& options = {},
                                                   const std::function<bool()>& cancelled = {},
                                                   std::vector<std::int32_t> folds = {});
/// The same on learned maps, which must outlive it.
std::unique_ptr<SelectionTest> make_selection_test(const LearnedMaps& maps, const SelectOptions& options = {},
                                                   const std::function<bool()>& cancelled = {});

/// Throws the InputError that select_features would begin with, before anything is kept or learned.
void check_selection(const Dataset& data, const SelectOptions& options);

/// Every option that can change a result, with its value as text.
OptionTexts deciding_options(SelectOptions options);

/// The largest conditioning dimension of the shrink pass for n samples (docs/search.md, "Conditioning dimension").
std::size_t power_limit(Method method, std::size_t samples);

}  // namespace macmi
