#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace macmi {

/// Facts about the data that a person should know before believing a result. Lists name columns of the file.
struct DataHealth {
  struct Count {
    std::string name;
    std::size_t count = 0;
  };
  /// One value takes at least `heavy_ties_share` of the samples of a numeric column that is not boolean.
  struct Ties {
    std::string name;
    double share = 0;          ///< of the samples that have the most common value
    std::size_t distinct = 0;  ///< different values
  };
  static constexpr double heavy_ties_share = 0.2;

  std::size_t rows_read = 0;
  std::size_t samples = 0;            ///< that the data set keeps
  std::size_t target_missing = 0;     ///< samples dropped because they have no target
  std::size_t not_drawn = 0;          ///< samples left out by --rows
  std::size_t short_units = 0;        ///< units left out because their history is shorter than the window
  std::size_t units_with_gaps = 0;    ///< units with time steps missing inside the window
  std::size_t missing_steps = 0;      ///< those steps, over all units
  std::vector<std::string> constant;  ///< columns with one value, or with no value at all
  std::vector<std::vector<std::string>> duplicates;  ///< features equal to each other in every sample, grouped
  std::vector<Count> missing;                        ///< samples without a value, per column that has any
  std::vector<Count> infinite;                       ///< infinite values, per column that has any; treated as missing
  std::vector<Ties> ties;
  std::vector<std::string> id_like;      ///< a different text or whole number in every sample
  std::vector<Count> group_widths;       ///< columns per feature, when --group made features of different width
  std::vector<std::string> mixed_units;  ///< features whose columns differ more than tenfold in spread
  std::vector<Count> classes;            ///< samples per class of a categorical target
  std::vector<std::string> remarks;      ///< everything else, in sentences

  /// Nothing that calls for attention (class balance and widths are information).
  bool clean() const;
};

/// The same with every list in the order of names, so that it does not depend on the order of columns.
DataHealth sorted_by_name(DataHealth health);

/// The report as lines of text; empty when there is nothing to say.
std::vector<std::string> health_lines(const DataHealth& health);

}  // namespace macmi
