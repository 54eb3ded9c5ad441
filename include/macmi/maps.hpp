#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/learned_maps.hpp"
#include "macmi/options.hpp"

namespace macmi {

/// The features that get a learned feature map, and its kind (Section 3 of Yang et al., UAI 2020).
enum class MapKind {
  automatic,  ///< mlp for features of more than one column, gru for series; single columns as they are
  mlp,        ///< a multilayer perceptron for every feature, single columns too; series step after step as one vector
  gru,        ///< gru for series, mlp for every other feature of more than one column
  none,       ///< every feature as it is
};

enum class MapsPreset { none, paper_2d, paper_3d, paper_hdd };

/// How feature maps are learned. The defaults are the recommended recipe (docs/maps.md); 0 means: chosen from the data.
struct MapsOptions {
  MapKind kind = MapKind::automatic;
  std::uint64_t map_dim = 0;
  double lambda = 0.1;
  std::uint64_t folds = 0;
  double holdout = 0.1;
  std::uint64_t restarts = 4;
  std::uint64_t epochs = 0;
  std::uint64_t batch = 0;
  MapsPreset preset = MapsPreset::none;

  // Not options of the command line: presets and studies set them.
  std::uint64_t delta = 3;      ///< largest conditioning set of the search that follows
  std::uint64_t map_width = 0;  ///< units of the maps' hidden layers; states of a gru
  std::uint64_t surrogate_width = 0;
  double learning_rate = 0;
  double weight_decay = -1;  ///< below 0: chosen
  int mask_rule = -1;        ///< below 0: chosen; otherwise a MaskRule
  bool relu = false;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;
};

/// The one declaration of these options (names, defaults, meaning, range), without seed and threads.
std::vector<Option> declare(MapsOptions& options);

/// True when these options learn a map for at least one feature of the data.
bool wants_maps(const Dataset& data, const MapsOptions& options);

struct MapsProgress {
  std::size_t model = 0, models = 1;  ///< with folds: one model each
  std::size_t epoch = 0, epochs = 0;
  double objective = 0, validation = 0;
  double share_done = 0;  ///< of all training, 0 to 1
};

class TrainingTeam;
class SurrogateScores;

/// Ways to follow and to stop a training.
struct MapsHooks {
  std::function<bool(const MapsProgress&)> on_progress;  ///< false stops with Cancelled
  std::function<void(const std::string&)> on_note;       ///< a sentence for the user
  TrainingTeam* team = nullptr;  ///< other processes that take trainings (a cluster's); nothing: this machine alone
  std::string folder;  ///< checkpoints stay here: the same training started again goes on from them. Empty: none kept
};

/// A summary of one feature's map.
struct MapSummary {
  std::string name;
  std::string encoder;  ///< "mlp", "gru", "as it is"
  std::size_t dimensions = 1;
  double divergence =
      0;  ///< mean Jeffreys divergence, nats, that swapping the feature makes in the surrogate's prediction
  bool found_nothing = false;
};

/// The surrogate's own verdict on a conditional dependence, on samples it was not trained on.
struct LikelihoodGain {
  double gain = 0;   ///< nats per sample, mean of log q(y | feature and given) − log q(y | given)
  double error = 0;  ///< its standard error
};
struct GainQuestion {
  std::size_t feature = 0;  ///< index into the data set's features
  std::vector<std::size_t> given;
};

/// Maps learned on a data set, and the data set seen through them.
class LearnedMaps {
 public:
  struct State;
  explicit LearnedMaps(std::unique_ptr<State> state);
  LearnedMaps(LearnedMaps&&) noexcept;
  LearnedMaps& operator=(LearnedMaps&&) noexcept;
  ~LearnedMaps();

  /// The data set with each mapped feature replaced by its map; features without a map are as they were. A map that
  /// found nothing is constant.
  const Dataset& mapped() const;
  /// With folds: the fold of each sample. Maps of different folds are not comparable. Empty: one model for all.
  const std::vector<std::int32_t>& folds() const;
  const std::vector<MapSummary>& features() const;  ///< in the order of the data set
  const std::vector<std::string>& notes() const;
  std::vector<TrainingCurve> curves() const;  ///< of every model
  double validation_gain() const;             ///< nats per sample over the best constant prediction, under random masks
  double training_gain() const;               ///< the same on the training samples
  /// The surrogate's gains; NaN for sets larger than it was trained on.
  std::vector<LikelihoodGain> gains(const std::vector<GainQuestion>& questions) const;
  /// The surrogate as tests on folded maps use it: nothing without folds (it has seen the samples) and for targets
  /// other than two classes.
  std::shared_ptr<const SurrogateScores> scores() const;
  /// The surrogate's mean (probability of the second of two classes) of the first model over the plane of a feature's
  /// two-dimensional map, nothing else known; nothing for other maps and for targets of several columns or classes.
  std::vector<std::optional<MapPicture::Surface>> surfaces(const std::vector<std::size_t>& features) const;
  /// Writes the (first) model. Throws InputError.
  void save(const std::string& path) const;

 private:
  std::unique_ptr<State> state_;
};

/// Algorithm 2 of the paper. The same bits for the same data, options and seed, on every machine, for any number of
/// threads and any order of the features. Throws InputError, Cancelled, or Error when every training diverged.
LearnedMaps learn_maps(const Dataset& data, const MapsOptions& options = {}, const MapsHooks& hooks = {});

/// A saved model: what new data must look like, and how to see it through the maps.
class MapModelFile {
 public:
  /// Throws InputError naming the file when it is no model, of another version, or damaged.
  explicit MapModelFile(const std::string& path);
  MapModelFile(MapModelFile&&) noexcept;
  ~MapModelFile();
  const DataSchema& schema() const;
  std::vector<MapSummary> features() const;
  /// The maps of every sample, feature after feature in the order of the schema; each feature's numbers side by side.
  /// NaN where a feature has no value.
  std::vector<std::vector<std::vector<double>>> apply(const Dataset& data, const MapsHooks& hooks = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace macmi
