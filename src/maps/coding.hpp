#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/maps.hpp"
#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// The part of a column that the network sees, before it is standardised.
enum class Reading : std::int64_t {
  value,       ///< the number itself
  log_value,   ///< sign(v) log(1 + |v|): counters that range over many orders of magnitude
  change,      ///< the difference from the step before (the last one there is; 0 at the beginning)
  log_change,  ///< sign(d) log(1 + |d|) of that difference
};

/// How one column becomes network input: (reading − center) / scale, beyond six standard deviations drawn in (values)
/// or cut off (other readings); or one number per label.
struct ColumnCoding {
  double center = 0, scale = 1;
  std::size_t labels = 0;  ///< 0: a number
  Reading reading = Reading::value;
  std::size_t width() const { return labels == 0 ? 1 : labels; }
};

/// How one feature becomes network input. Channels go by content, so that the order of the columns in the file cannot
/// change a bit of the training.
struct FeatureCoding {
  std::size_t feature = 0;  ///< index into the data set's features
  MapShape shape;
  std::vector<std::size_t> channels;  ///< in network order; a channel of a gru's series is there twice: level, change
  std::vector<ColumnCoding> columns;  ///< per entry of `channels`; series: shared by all steps
};

/// The target as the surrogate sees it.
struct TargetCoding {
  std::vector<ColumnCoding> columns;
};

/// A series for which no map is learned: it never changes, or another feature is equal to it in every sample.
struct SetAside {
  std::size_t feature = 0;              ///< index into the data set's features
  std::optional<std::size_t> equal_to;  ///< the feature whose map it shares; none: constant
};

/// All codings, in network order (equal shapes together, then by content).
struct Coding {
  std::vector<FeatureCoding> features;
  TargetCoding target;
  std::vector<SetAside> set_aside;
};

/// The place in the networks of every feature of the data set; none for those that never change.
std::vector<std::optional<std::uint32_t>> places_of(const Coding& coding);

/// A reading as the network sees it: standardised. Plain values go on beyond six standard deviations on a logarithmic
/// scale, so that no outlier takes over; other readings stop there.
float network_value(double reading, const ColumnCoding& coding);

/// The readings of one channel of a series, step after step of one sample; NaN where there is no value.
std::vector<double> readings(std::span<const double> steps, Reading reading);

/// True where the network sees the labels of a column, not its numbers.
bool as_labels(const DataColumn& column);

/// The columns of one channel of a feature, step after step.
std::vector<const DataColumn*> channel(const Feature& feature, std::size_t c);

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

}  // namespace macmi::maps
