#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "data/mapped_file.hpp"
#include "learn/learned_state.hpp"
#include "learn/mapped_dataset.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"

namespace macmi {

struct MapModelFile::State {
  MapModel model;
};

MapModelFile::MapModelFile(const std::string& path) : state_(std::make_unique<State>()) {
  const MappedFile file(path);
  state_->model = parse_model(file.bytes(), path);
}
MapModelFile::MapModelFile(MapModelFile&&) noexcept = default;
MapModelFile::~MapModelFile() = default;
const DataSchema& MapModelFile::schema() const {
  return state_->model.schema;
}

std::vector<MapSummary> MapModelFile::features() const {
  const MapModel& model = state_->model;
  std::vector<MapSummary> all(model.schema.features.size());
  for (std::size_t f = 0; f < model.coding.features.size(); ++f) {
    const FeatureCoding& coding = model.coding.features[f];
    const Encoder encoder = coding.shape.encoder;
    all[coding.feature] = {model.schema.features[coding.feature].name,
                           encoder == Encoder::mlp   ? "mlp"
                           : encoder == Encoder::gru ? "gru"
                                                     : "as it is",
                           coding.shape.outputs, model.divergence[f], found_nothing(model.divergence[f])};
  }
  return all;
}

std::vector<std::vector<std::vector<double>>> MapModelFile::apply(const Dataset& data, const MapsHooks& hooks) const {
  const MapModel& model = state_->model;
  const std::size_t n = data.samples(), m = model.coding.features.size(), total = model.architecture.map_columns();
  if (n == 0) throw InputError(fmt::format("{} has no samples to map", data.source));
  const CodedFeatures coded = code_features(data, model.coding, model.architecture);
  ArrayFileWriter job;
  job.put_text("kind", "map");
  put(job, model.architecture);
  job.put_integer("samples", static_cast<std::int64_t>(n));
  for (std::size_t g = 0; g < coded.values.size(); ++g) {
    job.put(fmt::format("x{}", g), std::span<const float>(coded.values[g]));
    if (!coded.present[g].empty()) job.put(fmt::format("steps{}", g), std::span<const std::uint8_t>(coded.present[g]));
  }
  job.put("parameters", std::span<const float>(model.parameters));
  const ScratchFolder scratch;
  job.write(scratch.path() + "/job");
  run_worker(
      scratch.path() + "/job", scratch.path(), 1, [](const std::string&) {},
      [&] { return !hooks.on_progress || hooks.on_progress({}); });
  const MappedFile mapped(scratch.path() + "/result");
  const ArrayFile file = ArrayFile::parse(mapped.bytes(), "the mapped samples");
  const auto maps = file.floats("maps");
  std::vector<std::vector<std::vector<double>>> result(m);
  std::size_t offset = 0;
  for (std::size_t f = 0; f < m; offset += model.coding.features[f++].shape.outputs) {
    const std::vector<std::size_t> first = first_alike(coded, model.architecture, f, n);
    auto& columns = result[model.coding.features[f].feature];
    columns.assign(model.coding.features[f].shape.outputs,
                   std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
    for (std::size_t i = 0; i < n; ++i) {
      if (!coded.known.empty() && coded.known[i * m + f] == 0) continue;
      for (std::size_t c = 0; c < columns.size(); ++c) columns[c][i] = maps[first[i] * total + offset + c];
    }
  }
  return result;
}

}  // namespace macmi
