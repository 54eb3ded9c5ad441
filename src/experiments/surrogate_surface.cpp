#include "experiments/surrogate_surface.hpp"

#include <algorithm>
#include <cmath>

#include "data/mapped_file.hpp"
#include "learn/map_model.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr std::size_t grid = 48;

/// The surrogate of a model with one feature and a target of one number, evaluated sample by sample: three linear
/// layers, the last 6 blocks of the parameters (src/learn/architecture.cpp). Here, so that a picture does not need a
/// training process.
class Surrogate {
 public:
  explicit Surrogate(const MapModel& model) : model_(model) {
    std::size_t at = 0;
    for (const ParameterBlock& block : parameter_blocks(model.architecture)) {
      starts_.push_back(at);
      at += static_cast<std::size_t>(block.size());
      shapes_.push_back(block.shape);
    }
  }
  /// The expected target, in its own units.
  double mean(double first, double second) const {
    std::vector<double> values = {first, second, 1};  // the mask: the feature is kept
    for (std::size_t layer = 0; layer < 3; ++layer) values = linear(values, starts_.size() - 6 + 2 * layer, layer < 2);
    const ColumnCoding& target = model_.coding.target.columns.front();
    return target.center + target.scale * values.front();
  }

 private:
  std::vector<double> linear(const std::vector<double>& in, std::size_t block, bool hidden) const {
    const auto outputs = static_cast<std::size_t>(shapes_[block][2]);
    const float *weights = model_.parameters.data() + starts_[block],
                *biases = model_.parameters.data() + starts_[block + 1];
    std::vector<double> out(biases, biases + outputs);
    for (std::size_t i = 0; i < in.size(); ++i)
      for (std::size_t o = 0; o < outputs; ++o) out[o] += in[i] * static_cast<double>(weights[i * outputs + o]);
    if (hidden)
      for (double& v : out)
        v = model_.architecture.activation == Activation::relu ? std::max(0.0, v) : v / (1 + std::exp(-v));
    return out;
  }

  const MapModel& model_;
  std::vector<std::size_t> starts_;
  std::vector<std::vector<std::int64_t>> shapes_;
};

}  // namespace

MapPicture map_picture(const LearnedMaps& maps, const Dataset& data, std::size_t shown) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/model";
  maps.save(path);
  const MappedFile file(path);
  const MapModel model = parse_model(file.bytes(), path);
  if (model.architecture.features.size() != 1 || model.architecture.map_columns() != 2)
    throw Error("a picture needs one map of two numbers");
  const auto coordinates = MapModelFile(path).apply(data).front();
  const std::vector<double>& target = data.target.columns.front().values;
  MapPicture picture;
  picture.feature = data.features.front().name;
  const auto count = static_cast<std::ptrdiff_t>(std::min(shown, data.samples()));
  picture.target.assign(target.begin(), target.begin() + count);
  MapPicture::Surface surface;
  const auto extent = [&](const std::vector<double>& values, double& low, double& high) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double margin = 0.06 * (*most - *least) + 1e-9;
    low = *least - margin, high = *most + margin;
  };
  for (const std::vector<double>& column : coordinates)
    picture.coordinates.emplace_back(column.begin(), column.begin() + count);
  extent(picture.coordinates[0], surface.x_low, surface.x_high);
  extent(picture.coordinates[1], surface.y_low, surface.y_high);
  surface.columns = surface.rows = grid;
  const Surrogate surrogate(model);
  for (std::size_t r = 0; r < grid; ++r)
    for (std::size_t c = 0; c < grid; ++c) {
      const auto part = [](std::size_t i) { return (static_cast<double>(i) + 0.5) / static_cast<double>(grid); };
      surface.mean.push_back(surrogate.mean(surface.x_low + part(c) * (surface.x_high - surface.x_low),
                                            surface.y_low + part(r) * (surface.y_high - surface.y_low)));
    }
  picture.surface = std::move(surface);
  return picture;
}

}  // namespace macmi
