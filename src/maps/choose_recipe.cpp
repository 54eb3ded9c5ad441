#include "maps/choose_recipe.hpp"

#include <algorithm>
#include <cmath>

namespace macmi::maps {
namespace {

constexpr double mlp_steps = 2400, gru_steps = 800;
/// Weight decay acts through learning rate · decay · steps: this much over a whole training, but never so much that
/// short trainings cannot grow weights against it.
constexpr double total_decay = 5, most_decay = 0.3;
/// Recurrent networks lose weak trends under decay that perceptrons thrive on (docs/maps.md).
constexpr double gru_decay = 0.01, gru_rate = 5e-3;

bool has_gru(const Architecture& a) {
  return std::any_of(a.features.begin(), a.features.end(), [](const MapShape& s) { return s.encoder == Encoder::gru; });
}

template <class T>
void default_to(T& field, T unset, T value) {
  if (field == unset) field = value;
}

}  // namespace

MapsOptions with_preset(MapsOptions o) {
  if (o.preset == MapsPreset::none) return o;
  const MapsOptions unset;
  const bool two = o.preset == MapsPreset::paper_2d, series = o.preset == MapsPreset::paper_hdd;
  default_to<std::uint64_t>(o.map_dim, 0, two ? 2 : series ? 3 : 1);
  default_to<std::uint64_t>(o.map_width, 0, two ? 8 : series ? 16 : 32);
  default_to<std::uint64_t>(o.surrogate_width, 0, two ? 8 : series ? 72 : 164);
  default_to<std::uint64_t>(o.folds, 0, 1);
  default_to<double>(o.weight_decay, -1, 0);
  default_to(o.mask_rule, -1, static_cast<int>(MaskRule::uniform_masks));
  if (o.kind == unset.kind) o.kind = series ? MapKind::gru : MapKind::mlp;
  o.relu = true;
  return o;
}

std::size_t choose_map_dim(const Dataset& data, const MapsOptions& options) {
  if (options.map_dim > 0) return options.map_dim;
  const std::size_t needed = data.target_is_categorical() ? data.classes().size() - 1 : data.target.columns.size();
  return std::clamp<std::size_t>(needed, 1, 3);
}

Architecture choose_architecture(const Dataset& data, const Coding& coding, const MapsOptions& o) {
  Architecture a;
  for (const FeatureCoding& feature : coding.features) a.features.push_back(feature.shape);
  a.map_width = o.map_width > 0 ? o.map_width : 32;
  a.gru_states = o.map_width > 0 ? o.map_width : 16;
  a.surrogate_width = o.surrogate_width > 0 ? o.surrogate_width : 128;
  a.activation = o.relu ? Activation::relu : Activation::silu;
  if (data.target_is_categorical()) {
    a.target_width = data.classes().size();
    a.family = a.target_width == 2 ? Family::bernoulli : Family::categorical;
  } else {
    a.target_width = data.target.columns.size();
  }
  return a;
}

Recipe choose_recipe(const Architecture& a, std::size_t samples, const MapsOptions& o) {
  const bool gru = has_gru(a);
  Recipe r;
  r.batch = o.batch > 0 ? o.batch : samples < 1000 ? 64 : samples < 4000 ? 128 : 256;
  const double per_epoch = std::max(1.0, std::round(static_cast<double>(samples) / static_cast<double>(r.batch)));
  r.epochs = o.epochs > 0 ? o.epochs
                          : static_cast<std::size_t>(std::clamp(std::ceil((gru ? gru_steps : mlp_steps) / per_epoch),
                                                                gru ? 12.0 : 30.0, 400.0));
  r.learning_rate = o.learning_rate > 0 ? o.learning_rate : gru ? gru_rate : 1e-2;
  r.weight_decay =
      o.weight_decay >= 0 ? o.weight_decay
      : gru               ? gru_decay
            : std::min(most_decay, total_decay / (r.learning_rate * per_epoch * static_cast<double>(r.epochs)));
  // Decay has averaged the last weights over many steps; a validation value is noise that would choose earlier ones.
  r.keep = !gru && r.weight_decay > 0 ? KeptWeights::last : KeptWeights::best_validated;
  r.lambda = o.lambda;
  r.masks = o.mask_rule >= 0 ? static_cast<MaskRule>(o.mask_rule) : MaskRule::half_singles;
  r.most_kept = std::min<std::size_t>(a.features.size(), o.delta + 1);
  r.cover = gru;  // the maps cost far more than the surrogate
  r.restarts = o.restarts;
  r.seed = o.seed;
  return r;
}

}  // namespace macmi::maps
