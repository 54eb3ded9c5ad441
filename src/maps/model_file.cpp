#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/files/mapped_file.hpp"
#include "macmi/error.hpp"
#include "maps/map_model.hpp"
#include "maps/network/evaluate.hpp"

namespace macmi {

struct MapModelFile::State {
  maps::MapModel model;
};

MapModelFile::MapModelFile(const std::string& path) : state_(std::make_unique<State>()) {
  const base::MappedFile file(path);
  state_->model = maps::parse_model(file.bytes(), path);
}
MapModelFile::MapModelFile(MapModelFile&&) noexcept = default;
MapModelFile::~MapModelFile() = default;
const DataSchema& MapModelFile::schema() const {
  return state_->model.schema;
}

std::vector<MapSummary> MapModelFile::features() const {
  const maps::MapModel& model = state_->model;
  std::vector<MapSummary> all(model.schema.features.size());
  for (std::size_t f = 0; f < model.coding.features.size(); ++f) {
    const maps::FeatureCoding& coding = model.coding.features[f];
    const maps::Encoder encoder = coding.shape.encoder;
    all[coding.feature] = {model.schema.features[coding.feature].name,
                           encoder == maps::Encoder::mlp   ? "mlp"
                           : encoder == maps::Encoder::gru ? "gru"
                                                           : "as it is",
                           coding.shape.outputs, model.divergence[f], maps::found_nothing(model.divergence[f])};
  }
  return all;
}

std::vector<std::vector<std::vector<double>>> MapModelFile::apply(const Dataset& data, const MapsHooks& hooks) const {
  const maps::MapModel& model = state_->model;
  const std::size_t n = data.samples(), m = model.coding.features.size(), total = model.architecture.map_columns();
  if (n == 0) throw InputError(fmt::format("{} has no samples to map", data.source));
  const maps::CodedFeatures coded = maps::code_features(data, model.coding, model.architecture);
  maps::NetworkSamples samples;
  samples.samples = n;
  for (std::size_t g = 0; g < coded.values.size(); ++g) {
    samples.values.emplace_back(coded.values[g]);
    samples.present.emplace_back(coded.present[g]);
  }
  maps::Objective networks(model.architecture);
  networks.load(model.parameters);
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<float> maps;
  constexpr std::size_t at_once = 8192;
  for (std::size_t begin = 0; begin < n; begin += at_once) {
    if (hooks.on_progress && !hooks.on_progress({})) throw Cancelled();
    const std::vector<float> part = maps::map_samples(
        networks, samples, std::span<const std::uint32_t>(rows).subspan(begin, std::min(at_once, n - begin)));
    maps.insert(maps.end(), part.begin(), part.end());
  }
  std::vector<std::vector<std::vector<double>>> result(m);
  std::size_t offset = 0;
  for (std::size_t f = 0; f < m; offset += model.coding.features[f++].shape.outputs) {
    auto& columns = result[model.coding.features[f].feature];
    columns.assign(model.coding.features[f].shape.outputs,
                   std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
    for (std::size_t i = 0; i < n; ++i) {
      if (!coded.known.empty() && coded.known[i * m + f] == 0) continue;
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c][i] = maps[i * total + offset + c];
    }
  }
  return result;
}

}  // namespace macmi
