#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/finished_work.hpp"
#include "macmi/options.hpp"
#include "macmi/progress.hpp"
#include "macmi/select.hpp"

namespace macmi {

/// The kind of predictor of the target.
enum class PredictorKind {
  automatic,  ///< trees for tables, networks for series
  trees,      ///< penalised polynomials and boosted trees: seconds
  network,    ///< the networks of feature maps: minutes, and l1 selection with them
};

/// How much a selection is worth for prediction: fresh predictors on different sets of features, compared by
/// cross-validation in which the selection is repeated on the training samples of every part.
struct EvaluateOptions {
  PredictorKind predictor = PredictorKind::automatic;
  std::uint64_t parts = 5;
  std::uint64_t random_sets = 3;
  std::uint64_t bootstrap = 1000;
  bool no_l1 = false;
  bool keep_selection = false;  ///< do not repeat it: optimistic, says so
};
std::vector<Option> declare(EvaluateOptions& options);

/// One way to choose features.
struct EvaluatedSet {
  std::string name;                                ///< "all", "selected", "l1", "l1 of equal size", "random"
  std::vector<std::vector<std::string>> features;  ///< chosen in each part; "random": of the first set
  double size = 0;                                 ///< mean number
  double auc = 0, average_precision = 0;           ///< two classes: means over the parts
  double gain = 0, gain_error = 0;                 ///< nats per sample over the best constant, and its standard error
  double r_squared = 0;                            ///< a target of one number
  std::vector<std::pair<double, double>> roc;  ///< (false positive rate, true positive rate), scores ranked per part
};

/// A difference of two sets on the same samples, 95% by bootstrap over units within parts and classes.
struct EvaluatedDifference {
  std::string first, second;
  std::string measure;  ///< "auc", or "gain" for numbers
  double difference = 0, low = 0, high = 0;
};

struct Evaluation {
  std::string target;
  bool two_classes = true;
  std::uint64_t parts = 5, samples = 0, seed = 0;
  bool nested = true;
  std::vector<std::string> selection;  ///< of the result that was evaluated
  std::vector<EvaluatedSet> sets;
  std::vector<EvaluatedDifference> differences;
  std::vector<std::string> notes;
};

/// Throws the InputError that evaluate_selection would begin with, before anything is kept or learned.
void check_evaluation(const Dataset& data, const std::vector<std::string>& selected,
                      const EvaluateOptions& options = {});

/// `selected`: the features of a finished selection; predictors learn from them where it is not repeated. Throws
/// InputError, Cancelled.
Evaluation evaluate_selection(const Dataset& data, const std::vector<std::string>& selected,
                              const SelectOptions& select, const EvaluateOptions& options = {},
                              const ProgressCallback& on_progress = {}, const FinishedWork& finished = {});

std::string evaluation_text(const Evaluation& evaluation);
std::string evaluation_json(const Evaluation& evaluation);
/// Reads evaluation_json back. Throws InputError naming `path`.
Evaluation read_evaluation_json(const std::string& text, const std::string& path);

}  // namespace macmi
