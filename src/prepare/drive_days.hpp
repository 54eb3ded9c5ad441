#pragma once
#include <string>
#include <vector>

#include "data/files.hpp"
#include "data/tables/duckdb_connection.hpp"
#include "prepare/drive_features.hpp"
#include "prepare/windows.hpp"

namespace macmi::prepare {

/// The rows of one drive model from daily files, in the table `days` of a database: file, serial, day, failure, blank
/// (no SMART value at all), f0, f1, … (the features).
class DriveDays {
 public:
  /// Looks at the headers alone. Throws InputError when a file is no daily drive file.
  DriveDays(const std::vector<data::DataFile>& files, const PrepareOptions& options, data::DuckdbConnection& database);

  std::size_t files() const { return files_.size(); }
  const std::vector<DriveFeature>& features() const { return features_; }
  /// Reads one file into the table and checks it: every date is one, hours and temperatures are possible, numbers are
  /// not rounded (noted).
  void read(std::size_t file);

  std::size_t rows() const { return rows_; }
  /// The drives with their days. Counts duplicates and blank rows.
  std::vector<ObservedUnit> drives(PrepareReport& report);
  /// Remarks on the files read, for the user.
  std::vector<std::string> notes() const;
  /// The message for files without a row of the model.
  std::string models_there() const;

 private:
  struct Header {
    std::string relation;
    std::vector<std::string> names;
    std::string column(const std::string& name) const;  ///< its SQL name; "NULL" when it is not there
  };
  void check_plausible(std::size_t file);
  void check_rounding(std::size_t file);
  std::vector<double> one_row(const std::string& sql);

  std::vector<data::DataFile> files_;
  std::vector<Header> headers_;
  std::vector<DriveFeature> features_;
  std::string model_;
  data::DuckdbConnection& database_;
  std::size_t rows_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace macmi::prepare
