#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/mapped_file.hpp"
#include "learn/learned_state.hpp"
#include "learn/worker_process.hpp"

namespace macmi {
namespace {

constexpr std::size_t cells = 48;  // along each side

struct Range {
  double low = INFINITY, high = -INFINITY;
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
};

/// Corners of the plane: as the network gives them, and as the mapped data set has them (centred and scaled).
struct Plane {
  std::size_t place = 0;  ///< of the feature, in network order
  Range network[2], mapped[2];
};

Plane plane_of(const LearnedMaps::State& s, std::size_t place, std::size_t offset) {
  Plane plane;
  plane.place = place;
  const std::size_t total = s.architecture.map_columns();
  const std::vector<std::int32_t>& rows = s.rows.front().apply;
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double mapped = s.mapped.features[s.coding.features[place].feature].columns[c].values[static_cast<std::size_t>(rows[r])];
      if (std::isnan(mapped)) continue;
      plane.mapped[c].include(mapped);
      plane.network[c].include(s.models.front().maps[r * total + offset + c]);
    }
  return plane;
}

bool one_mean(const Architecture& a) {
  return a.family == Family::bernoulli || (a.family == Family::normal && a.target_width == 1);
}

}  // namespace

std::vector<std::optional<MapPicture::Surface>> LearnedMaps::surfaces(const std::vector<std::size_t>& features) const {
  const State& s = *state_;
  std::vector<std::optional<MapPicture::Surface>> all(features.size());
  std::vector<std::size_t> asked;
  std::vector<Plane> planes;
  std::vector<double> corners;
  std::vector<std::int64_t> places;
  std::size_t offset = 0;
  for (std::size_t f = 0; f < s.coding.features.size(); offset += s.coding.features[f++].shape.outputs) {
    const FeatureCoding& coding = s.coding.features[f];
    const auto wanted = std::find(features.begin(), features.end(), coding.feature);
    if (wanted == features.end() || coding.shape.outputs != 2 || coding.shape.encoder == Encoder::identity) continue;
    const Plane plane = plane_of(s, f, offset);
    if (!one_mean(s.architecture) || !(plane.mapped[0].low < plane.mapped[0].high) || !(plane.mapped[1].low < plane.mapped[1].high)) continue;
    asked.push_back(static_cast<std::size_t>(wanted - features.begin()));
    planes.push_back(plane);
    places.push_back(static_cast<std::int64_t>(f));
    for (const Range& range : plane.network) corners.insert(corners.end(), {range.low, range.high});
  }
  if (asked.empty()) return all;
  ArrayFileWriter job;
  job.put_text("kind", "surfaces");
  put_samples(job, s);
  job.put("parameters", std::span<const float>(s.models.front().parameters));
  job.put("places", std::span<const std::int64_t>(places));
  job.put("corners", std::span<const double>(corners));
  job.put_integer("cells", cells);
  const ScratchFolder scratch;
  job.write(scratch.path() + "/job");
  run_worker(
      scratch.path() + "/job", scratch.path(), 1, [](const std::string&) {}, [] { return true; });
  const MappedFile mapped(scratch.path() + "/result");
  const ArrayFile file = ArrayFile::parse(mapped.bytes(), "the surrogate's surfaces");
  const ColumnCoding& target = s.coding.target.columns.front();
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const Plane& plane = planes[a];
    MapPicture::Surface surface{plane.mapped[0].low, plane.mapped[0].high, plane.mapped[1].low, plane.mapped[1].high, cells, cells, {}};
    for (const float mean : file.floats(fmt::format("mean{}", a)))
      surface.mean.push_back(s.architecture.family == Family::normal ? target.center + target.scale * mean : mean);
    all[asked[a]] = std::move(surface);
  }
  return all;
}

}  // namespace macmi
