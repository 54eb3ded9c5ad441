// The surrogate over the plane of a feature's two-dimensional map.
#include <algorithm>
#include <cmath>

#include "base/vector/elementary.hpp"
#include "maps/learned_state.hpp"
#include "maps/network/evaluate.hpp"

namespace macmi {
namespace {

constexpr std::size_t cells = 48;  // along each side

struct Range {
  double low = INFINITY, high = -INFINITY;
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
};

/// Corners of the plane: as the network gives them, and as the mapped data set has them (centred and scaled).
struct Plane {
  Range network[2], mapped[2];
  bool is_flat() const { return !(mapped[0].low < mapped[0].high) || !(mapped[1].low < mapped[1].high); }
};

Plane plane_of(const LearnedMaps::State& s, std::size_t place, std::size_t offset) {
  Plane plane;
  const std::size_t total = s.architecture.map_columns();
  const std::vector<std::int32_t>& rows = s.rows.front().apply;
  const Feature& feature = s.mapped.features[s.coding.features[place].feature];
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double mapped = feature.columns[c].values[static_cast<std::size_t>(rows[r])];
      if (std::isnan(mapped)) continue;
      plane.mapped[c].include(mapped);
      plane.network[c].include(s.models.front().maps[r * total + offset + c]);
    }
  return plane;
}

bool one_mean(const maps::Architecture& a) {
  return a.family == maps::Family::bernoulli || (a.family == maps::Family::normal && a.target_width == 1);
}

/// Maps of cells × cells places of the plane, row after row from below, every other map zero.
std::vector<float> grid_of(const Plane& plane, std::size_t columns, std::size_t offset) {
  std::vector<float> maps(cells * cells * columns, 0.0f);
  const auto at = [](const Range& range, std::size_t i) {
    return static_cast<float>(range.low + (range.high - range.low) * static_cast<double>(i) / (cells - 1));
  };
  for (std::size_t y = 0; y < cells; ++y)
    for (std::size_t x = 0; x < cells; ++x) {
      float* own = maps.data() + (y * cells + x) * columns + offset;
      own[0] = at(plane.network[0], x);
      own[1] = at(plane.network[1], y);
    }
  return maps;
}

}  // namespace

std::vector<std::optional<MapPicture::Surface>> LearnedMaps::surfaces(const std::vector<std::size_t>& features) const {
  const State& s = *state_;
  std::vector<std::optional<MapPicture::Surface>> all(features.size());
  if (!one_mean(s.architecture)) return all;
  maps::Objective networks(s.architecture);
  networks.load(s.models.front().parameters);
  const maps::ColumnCoding& target = s.coding.target.columns.front();
  std::size_t offset = 0;
  for (std::uint32_t f = 0; f < s.coding.features.size(); offset += s.coding.features[f++].shape.outputs) {
    const maps::FeatureCoding& coding = s.coding.features[f];
    const auto wanted = std::find(features.begin(), features.end(), coding.feature);
    if (wanted == features.end() || coding.shape.outputs != 2 || coding.shape.encoder == maps::Encoder::identity)
      continue;
    const Plane plane = plane_of(s, f, offset);
    if (plane.is_flat()) continue;
    const std::vector<std::uint32_t> alone = {f};
    const std::vector<float> predictions =
        maps::predict_from_maps(networks, grid_of(plane, networks.maps().columns(), offset), alone);
    MapPicture::Surface surface{
        plane.mapped[0].low, plane.mapped[0].high, plane.mapped[1].low, plane.mapped[1].high, cells, cells, {}};
    for (std::size_t i = 0; i < cells * cells; ++i) {
      const double first = predictions[i * s.architecture.predictions()];
      surface.mean.push_back(s.architecture.family == maps::Family::normal ? target.center + target.scale * first
                                                                           : 1 / (1 + base::exact_exp(-first)));
    }
    all[static_cast<std::size_t>(wanted - features.begin())] = std::move(surface);
  }
  return all;
}

}  // namespace macmi
