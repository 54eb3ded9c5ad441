#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "macmi/data_health.hpp"
#include "macmi/data_options.hpp"
#include "macmi/variable.hpp"

namespace macmi {

enum class ColumnType {
  continuous,   ///< numbers
  integer,      ///< whole numbers, compared as numbers
  categorical,  ///< labels; only equality matters
  boolean,      ///< two values, false/true or 0/1
  constant,     ///< one value in every sample, or none
};
const char* type_name(ColumnType type);

/// Turns a column into network input, (value - center) / scale: mean and (population) standard deviation of the
/// values present; scale is 1 for constants. Recorded, so that new data is treated alike; the samples stay as read.
struct Scaling {
  double center = 0;
  double scale = 1;
};

/// One column of n samples.
struct DataColumn {
  std::string name;
  ColumnType type = ColumnType::continuous;
  std::vector<double> values;         ///< all but categorical text; NaN where missing. Booleans are 0 and 1.
  std::vector<std::int32_t> codes;    ///< categorical and boolean: code c stands for labels[c]; -1 where missing
  std::vector<std::string> labels;    ///< numbers in order of size, text in order of its bytes
  std::vector<std::uint8_t> missing;  ///< 1 where the file had no value, also after imputation; empty: nothing missing
  Scaling scaling;
  bool indicator = false;  ///< added by imputation: 1 where the channel it follows had no value

  /// Compared as labels, not as numbers.
  bool is_categorical() const { return !codes.empty(); }
};

/// A named block of numbers per sample: a vector of `channels` columns, or a series of `steps` times `channels`.
struct Feature {
  std::string name;
  std::size_t steps = 1;
  std::size_t channels = 1;
  std::vector<DataColumn> columns;  ///< step after step: columns[step * channels + channel]

  bool is_series() const { return steps > 1; }
  /// The type of its columns; the most general when they differ.
  ColumnType type() const;
  /// Samples without a value in at least one column.
  std::size_t incomplete() const;
};

/// n samples of m features and a target. Owns the samples; Variables are views into it.
/// How columns became features, for reading new data the same way: the options of DataOptions of these names.
struct DataLayout {
  std::string group, id, time;
  std::uint64_t window = 0;
  std::vector<std::string> type;
};

class Dataset {
 public:
  std::string source;                   ///< name of the input, for messages
  std::vector<Feature> features;        ///< in the order of the file; names differ
  Feature target;                       ///< no columns when the data has no target
  std::vector<std::string> units;       ///< with --id or --unit: the unit of each sample; of one series: its stretch
  bool one_series = false;              ///< with --time alone: the samples are one series, in the order of time
  std::vector<std::uint64_t> rows;      ///< the row (with --id: the last row) of the input that each sample comes from
  Missing missing = Missing::pairwise;  ///< how missing values were treated; never `automatic`
  DataLayout layout;
  DataHealth health;

  std::size_t samples() const { return rows.size(); }
  bool has_target() const { return !target.columns.empty(); }
  /// A number for the unit of each sample, in the order of first appearance; none where every sample is a unit.
  std::vector<std::int32_t> unit_numbers() const;
  /// One column whose labels are the classes.
  bool target_is_categorical() const;
  /// The classes of a categorical target, by code.
  const std::vector<std::string>& classes() const;

  std::vector<std::string> feature_names() const;
  /// The feature of this name. Throws InputError with the nearest name when there is none.
  std::size_t feature_index(const std::string& name) const;
  const Feature& feature(const std::string& name) const { return features[feature_index(name)]; }

  /// 16 hexadecimal digits over names, shapes, types, labels and values; the same for any order of the features.
  std::string fingerprint() const;
};

/// 16 hexadecimal digits over the name, shape, types, labels and values of one feature.
std::string fingerprint(const Feature& feature);

/// Says if yes/no columns and categories that are numbers are seen as categories or as numbers.
enum class Booleans { as_categories, as_numbers };

/// The feature (or the target) as a variable: a view, the data set must outlive it. Missing numbers are NaN and missing
/// categories -1: pass complete_rows to rows_of before giving it to an estimator.
Variable view(const Feature& feature, Booleans booleans = Booleans::as_categories);

/// Samples that have a value in every column of these features, in order.
std::vector<std::size_t> complete_rows(std::size_t samples, std::span<const Feature* const> features);

/// Some rows of a variable, copied: owns what `variable()` views. Moving keeps the views good.
class RowCopy {
 public:
  RowCopy(const Variable& from, std::span<const std::size_t> rows);
  RowCopy(RowCopy&&) noexcept = default;
  RowCopy& operator=(RowCopy&&) noexcept = default;
  RowCopy(const RowCopy&) = delete;
  RowCopy& operator=(const RowCopy&) = delete;
  const Variable& variable() const { return variable_; }

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::int32_t>> codes_;
  Variable variable_;
};

/// The data set with some of its samples, in the order of `rows`. Names, types, labels, scaling and health stay as they
/// are: what is known of the whole.
Dataset take_samples(const Dataset& data, std::span<const std::size_t> rows);

/// The facts that a data set learned from its samples and that new data must follow: types, labels, scaling, shapes.
struct DataSchema {
  std::vector<Feature> features;  ///< without samples
  Feature target;
  Missing missing = Missing::pairwise;
  DataLayout layout;
};
DataSchema schema_of(const Dataset& data);

/// Reads what the options say. The library prints nothing: what the user should see is in `health`. Throws InputError.
Dataset read_dataset(const DataOptions& options);

/// Reads new data with the features, types, labels and scaling of data read before. Options of DataLayout that are not
/// given are as they were then. The target may be absent. Labels not seen before count as missing, which `health`
/// tells. Throws InputError where a column is absent or a feature of another shape.
Dataset read_dataset_like(const DataOptions& options, const DataSchema& known);

/// A description of the data set, for people and as JSON: source, samples, target, features with shape, type and
/// scaling, health.
std::string describe(const Dataset& data);
std::string describe_json(const Dataset& data);

}  // namespace macmi
