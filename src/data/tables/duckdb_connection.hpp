#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/error.hpp"

// DuckDB's own names.
struct _duckdb_database;    // NOLINT(bugprone-reserved-identifier)
struct _duckdb_connection;  // NOLINT(bugprone-reserved-identifier)
struct _duckdb_data_chunk;  // NOLINT(bugprone-reserved-identifier)

namespace macmi::data {

/// DuckDB's own message about a statement; readers turn it into words about the user's file.
class SqlError : public Error {
 public:
  using Error::Error;
};

struct ResultColumn {
  std::string name;
  int type = 0;  ///< a duckdb_type
};

/// One column of some rows of a result: DOUBLE or VARCHAR, as the statement asked.
class ChunkColumn {
 public:
  ChunkColumn(const void* values, const std::uint64_t* valid) : values_(values), valid_(valid) {}
  const double* numbers() const { return static_cast<const double*>(values_); }
  std::string_view text(std::size_t row) const;
  bool may_have_nulls() const { return valid_ != nullptr; }
  bool is_null(std::size_t row) const { return valid_ != nullptr && (valid_[row / 64] >> (row % 64) & 1) == 0; }

 private:
  const void* values_;
  const std::uint64_t* valid_;
};

/// Some rows of a result, at most a few thousand.
class ResultChunk {
 public:
  explicit ResultChunk(_duckdb_data_chunk* chunk) : chunk_(chunk) {}
  std::size_t rows() const;
  ChunkColumn column(std::size_t index) const;

 private:
  _duckdb_data_chunk* chunk_;
};

/// Where a database larger than memory lives while it is worked with.
struct DuckdbStorage {
  std::string folder;             ///< exists; database and spilled data go here
  std::uint64_t megabytes = 512;  ///< of memory, beyond which data is in the folder alone
};

/// A database of our own: no extension is loaded or fetched, nothing is written outside the storage.
class DuckdbConnection {
 public:
  /// In memory. `threads` as everywhere: 0 = every core.
  explicit DuckdbConnection(std::uint64_t threads = 0) : DuckdbConnection(threads, DuckdbStorage{}) {}
  DuckdbConnection(std::uint64_t threads, const DuckdbStorage& storage);
  ~DuckdbConnection();
  DuckdbConnection(const DuckdbConnection&) = delete;
  DuckdbConnection& operator=(const DuckdbConnection&) = delete;

  /// Runs one statement and hands over the rows as they come, in order; memory stays bounded whatever their number.
  /// Returns the columns. Throws SqlError.
  std::vector<ResultColumn> run(const std::string& sql, const std::function<void(const ResultChunk&)>& each = {});
  /// Number of statements in a text. Throws SqlError when it does not parse.
  std::size_t statements(const std::string& sql);

 private:
  _duckdb_database* database_ = nullptr;
  _duckdb_connection* connection_ = nullptr;
};

/// 'text' as an SQL string, "name" as an SQL identifier.
std::string sql_string(std::string_view text);
std::string sql_name(std::string_view name);

}  // namespace macmi::data
