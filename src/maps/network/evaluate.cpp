#include "maps/network/evaluate.hpp"

#include <algorithm>

namespace macmi::maps {
namespace {

constexpr std::size_t chunk = 2048;

}  // namespace

std::vector<float> map_samples(Objective& networks, const NetworkSamples& samples,
                               std::span<const std::uint32_t> rows) {
  const std::size_t columns = networks.maps().columns();
  std::vector<float> maps(rows.size() * columns);
  for (std::size_t begin = 0; begin < rows.size(); begin += chunk)
    networks.maps().forward(samples, rows.subspan(begin, std::min(chunk, rows.size() - begin)),
                            maps.data() + begin * columns, false);
  return maps;
}

std::vector<float> predict_from_maps(Objective& networks, std::span<const float> maps,
                                     std::span<const std::uint32_t> kept) {
  MaskRows one;
  one.add(0, kept);
  std::vector<SurrogateRow> rows(maps.size() / networks.maps().columns());
  for (std::uint32_t k = 0; k < rows.size(); ++k) rows[k] = {0, k};
  return networks.predict(rows, one, maps.data());
}

std::vector<float> predict_samples(Objective& networks, const NetworkSamples& samples,
                                   std::span<const std::uint32_t> rows) {
  const std::vector<float> maps = map_samples(networks, samples, rows);
  const std::size_t m = networks.architecture().features.size();
  MaskRows masks;
  std::vector<SurrogateRow> asked;
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t f = 0; f < m; ++f)
      if (samples.known.empty() || samples.known[rows[k] * m + f] != 0) kept.push_back(f);
    masks.add(k, kept);
    asked.push_back({k, k});
  }
  return networks.predict(asked, masks, maps.data());
}

}  // namespace macmi::maps
