#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "maps/coding.hpp"
#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// A trained model with all that new data needs: what the columns must be, their scaling, the networks.
struct MapModel {
  DataSchema schema;
  Architecture architecture;
  Coding coding;
  std::vector<float> parameters;
  std::vector<float> marginal;     ///< the best constant prediction
  std::vector<double> divergence;  ///< per feature in network order (MapSummary)
};

/// True if a map of this divergence, nats, says anything. Mapped information this small cannot be told from none with
/// any number of samples that fits into memory.
bool found_nothing(double divergence);

void put(base::ArrayFileWriter& file, const MapModel& model);
void write_model(const MapModel& model, const std::string& path);
/// Throws InputError naming the file for anything that is not a whole model of this version.
MapModel parse_model(std::string_view bytes, const std::string& name);

}  // namespace macmi::maps
