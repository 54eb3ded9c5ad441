#pragma once
#include <span>
#include <vector>

#include "maps/network/distribution.hpp"
#include "maps/network/feature_maps.hpp"
#include "maps/network/surrogate_network.hpp"

namespace macmi::maps {

struct ObjectiveValue {
  double objective = 0;       ///< to be maximised: mean log likelihood − λ · regulariser
  double log_likelihood = 0;  ///< mean over masks
  double regulariser = 0;     ///< mean over masks of Σ_i W_i R_i; 0 when λ is 0
};

/// Equation 9 of the paper on a batch: E[log q_θ(Y | F_W(V), W) − λ Σ_i W_i R_i] with
/// R_i = | ‖f_i(x_i') − f_i(x_i'')‖² − D_J(q_i' ‖ q_i'') |, and its gradient by the chain rule written out. Each map
/// runs once; masks and their swaps go through the surrogate a tile at a time, forth and back while they are in cache.
/// plain_objective.hpp is the definition it is tested against. Not for several threads at once.
class Objective {
 public:
  explicit Objective(const Architecture& architecture);
  const Architecture& architecture() const { return architecture_; }

  /// Takes the parameters of a whole model, which must outlive what follows.
  void load(std::span<const float> parameters);

  /// Of the loaded parameters; the gradient with respect to all of them goes into `gradient`, unless that is empty.
  ObjectiveValue evaluate(const NetworkSamples& samples, const TrainingBatch& batch, double lambda,
                          std::span<float> gradient);

  FeatureMaps& maps() { return maps_; }
  /// The surrogate's prediction for every row, [rows][predictions].
  std::vector<float> predict(std::span<const SurrogateRow> rows, const MaskRows& masks, const float* maps);

 private:
  struct Step;
  void add_tile(const Step& step, std::size_t first_mask, std::size_t last_mask, ObjectiveValue& sums);

  Architecture architecture_;
  FeatureMaps maps_;
  SurrogateNetwork surrogate_;
  std::size_t surrogate_parameter_ = 0;
  std::vector<float> batch_maps_, maps_gradient_;
  std::vector<SurrogateRow> rows_;
  std::vector<Distribution> distributions_;
};

/// ‖f_i(x_i') − f_i(x_i'')‖² for columns first … last − 1 of two samples' maps.
double map_distance(const float* maps, const float* swapped, std::size_t first, std::size_t last);

}  // namespace macmi::maps
