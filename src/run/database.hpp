#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "macmi/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace macmi::run {

/// The words of SQLite. Those who know the run turn it into an InputError.
class DatabaseError : public Error {
 public:
  DatabaseError(sqlite3* handle, int code);
  DatabaseError(int code, const std::string& message) : Error(message), code_(code) {}
  int code() const { return code_; }                  ///< primary result code
  int system_error() const { return system_error_; }  ///< errno; 0 where none
  bool damaged() const;

 private:
  int code_;
  int system_error_ = 0;
};

/// One SQLite file. Not for several threads at once.
class Database {
 public:
  enum class Mode { create, read_only };
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  std::int64_t number(const std::string& sql);  ///< the first column of the first row; 0 without rows
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Columns are numbered from 0, parameters from 1.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);  ///< NaN is NULL
  Statement& bind_text(int parameter, std::string_view value);
  Statement& bind_blob(int parameter, std::string_view value);
  /// True while there is a row.
  bool step();
  /// Runs a statement that returns no rows, ready to be bound again.
  void run();

  std::string text(int column) const;  ///< of a blob too
  std::int64_t number(int column) const;
  double real(int column) const;

 private:
  void expect(int code) const;
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace macmi::run
