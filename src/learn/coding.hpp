#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "learn/architecture.hpp"
#include "macmi/dataset.hpp"
#include "macmi/maps.hpp"

namespace macmi {

/// How one column becomes network input: (value − center) / scale, drawn in beyond six standard deviations, or one
/// number per label.
struct ColumnCoding {
  double center = 0, scale = 1;
  std::size_t labels = 0;  ///< 0: a number
  std::size_t width() const { return labels == 0 ? 1 : labels; }
};

/// How one feature becomes network input. Channels go by content, so that the order of the columns in the file cannot
/// change a bit of the training.
struct FeatureCoding {
  std::size_t feature = 0;  ///< index into the data set's features
  MapShape shape;
  std::vector<std::size_t> channels;  ///< in network order
  std::vector<ColumnCoding> columns;  ///< per channel in network order; series: shared by all steps
};

/// The target as the surrogate sees it.
struct TargetCoding {
  std::vector<ColumnCoding> columns;
};

/// All codings, in network order (equal shapes together, then by content).
struct Coding {
  std::vector<FeatureCoding> features;
  TargetCoding target;
};

/// Value as the network sees it: standardised, and beyond six standard deviations on a logarithmic scale, so that no
/// outlier takes over.
float network_value(double value, const ColumnCoding& coding);

/// Learns the coding from the data. `outputs` is the dimension of the maps.
Coding plan_coding(const Dataset& data, MapKind kind, std::size_t outputs);

/// Network input of all samples, group after group (groups_of).
struct CodedFeatures {
  std::vector<std::vector<float>> values;          ///< per group [samples][features][steps · width]
  std::vector<std::vector<std::uint8_t>> present;  ///< per group [samples][features][steps]; empty: all steps there
  std::vector<std::uint8_t> known;                 ///< [samples][features]; empty: all known
};
CodedFeatures code_features(const Dataset& data, const Coding& coding, const Architecture& architecture);
/// [samples][width] numbers, or class numbers.
std::vector<float> code_target(const Dataset& data, const Coding& coding, Family family);

}  // namespace macmi
