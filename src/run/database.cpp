#include "run/database.hpp"

#include <sqlite3.h>

#include <cmath>

namespace macmi::run {
namespace {

/// A path as SQLite's URI: reserved characters escaped.
std::string uri(const std::string& path, const std::string& parameters) {
  std::string text = "file:";
  for (const char c : path) {
    if (c == '?')
      text += "%3f";
    else if (c == '#')
      text += "%23";
    else if (c == '%')
      text += "%25";
    else
      text += c;
  }
  return text + "?" + parameters;
}

}  // namespace

DatabaseError::DatabaseError(sqlite3* handle, int code)
    : Error(handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code)),
      code_(code & 0xFF),
      system_error_(handle ? sqlite3_system_errno(handle) : 0) {}

bool DatabaseError::damaged() const {
  return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB;
}

Database::Database(const std::string& path, Mode mode) {
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  int code =
      sqlite3_open_v2(uri(path, mode == Mode::create ? "mode=rwc" : "mode=ro").c_str(), &handle_, flags, nullptr);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(handle_, 2000);
  // A reader of a write-ahead log needs shared memory beside it, which a read-only directory does not allow.
  if (code == SQLITE_OK && mode == Mode::read_only &&
      (sqlite3_exec(handle_, "PRAGMA schema_version", nullptr, nullptr, nullptr) & 0xFF) == SQLITE_CANTOPEN) {
    sqlite3_close_v2(handle_);
    code = sqlite3_open_v2(uri(path, "mode=ro&immutable=1").c_str(), &handle_, flags, nullptr);
  }
  if (code == SQLITE_OK) return;
  const DatabaseError error(handle_, code);
  sqlite3_close_v2(handle_);
  throw DatabaseError(error);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw DatabaseError(handle_, code);
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  expect(sqlite3_prepare_v2(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  expect(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  expect(std::isnan(value) ? sqlite3_bind_null(statement_, parameter)
                           : sqlite3_bind_double(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view value) {
  expect(sqlite3_bind_text64(statement_, parameter, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view value) {
  expect(sqlite3_bind_blob64(statement_, parameter, value.data(), value.size(), SQLITE_TRANSIENT));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw DatabaseError(database_.handle(), code);
  return false;
}

void Statement::run() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_DONE && code != SQLITE_ROW) {
    const DatabaseError error(database_.handle(), code);
    sqlite3_reset(statement_);
    throw DatabaseError(error);
  }
  sqlite3_reset(statement_);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

void Statement::expect(int code) const {
  if (code != SQLITE_OK) throw DatabaseError(database_.handle(), code);
}

}  // namespace macmi::run
