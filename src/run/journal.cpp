#include "run/journal.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>

#include "base/name_list.hpp"
#include "base/results_version.hpp"

namespace macmi::run {
namespace {

constexpr std::int64_t application_id = 0x6D61636D;  // "macm"

/// Records stay within one page (SQLite's limit is the page less 35 bytes) for tests of up to about 9,000 permutations,
/// so that repair_run finds them whole in a file that SQLite cannot read any more.
constexpr const char* settings =
    "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;";

constexpr const char* tables = R"(
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE lists(kind TEXT, name TEXT, value TEXT, PRIMARY KEY(kind, name)) WITHOUT ROWID;
CREATE TABLE tests(id INTEGER PRIMARY KEY, context TEXT, feature TEXT, given TEXT, statistic REAL, effect REAL,
                   p_value REAL, permutations INTEGER, exceedances INTEGER, null_mean REAL, null_sd REAL, seconds REAL,
                   record BLOB);
CREATE TABLE files(name TEXT PRIMARY KEY, file TEXT, bytes INTEGER, hash TEXT, depends_on TEXT, note TEXT) WITHOUT ROWID;
)";

std::string hexadecimal(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

/// Another version may give other results.
std::string versioned(const std::string& name) {
  return fmt::format("{} {}", base::results_version(), name);
}

bool empty_or_absent(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error || size == 0;
}

}  // namespace

void refuse_journal(const std::string& directory, const DatabaseError& error) {
  const std::string why = error.system_error() ? std::strerror(error.system_error()) : error.what();
  if (error.damaged())
    throw InputError(
        fmt::format("the journal of the run {} is damaged ({}); `macmi runs repair {}` keeps the tests that can "
                    "still be read, and the same command goes on from them",
                    directory, error.what(), directory));
  switch (error.code()) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw InputError(
          fmt::format("the run {} cannot be written: {}; what was stored is kept: free some space and give the same "
                      "command to go on",
                      directory, error.code() == SQLITE_FULL ? "no space left" : why));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw InputError(fmt::format("the run {} cannot be written ({}): choose another --run", directory, why));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw InputError(
          fmt::format("the journal of the run {} is held by another program: close it and try again", directory));
    default:
      throw InputError(fmt::format("the journal of the run {}: {}", directory, error.what()));
  }
}

void expect_readable_version(Database& database, const std::string& path) {
  const std::int64_t application = database.number("PRAGMA application_id"),
                     version = database.number("PRAGMA user_version");
  if (application != application_id)
    throw InputError(
        fmt::format("{} is not a journal that this macmi can read: remove it, or choose another directory", path));
  if (version > journal_version)
    throw InputError(
        fmt::format("the journal {} has version {}, and this macmi knows versions up to {}: use the newer macmi that "
                    "wrote it, or choose another directory",
                    path, version, journal_version));
}

template <class Body>
auto Journal::guarded(Body body) const {
  const std::lock_guard lock(database_mutex_);
  try {
    return body(*database_);
  } catch (const DatabaseError& error) {
    refuse_journal(directory_, error);
  }
}

Journal::Journal(const std::string& directory, const std::string& name)
    : directory_(directory), path_(directory + "/" + name) {
  try {
    prepare();
  } catch (const DatabaseError& error) {
    refuse_journal(directory_, error);
  }
  writer_.emplace([this](const std::vector<StoredTest>& tests) { guarded([&](Database&) { write(tests); }); });
}

void Journal::prepare() {
  const bool was_empty = empty_or_absent(path_), had_log = !empty_or_absent(path_ + "-wal");
  if (was_empty && had_log) throw DatabaseError(SQLITE_CORRUPT, "its file is empty");
  database_.emplace(path_, Database::Mode::create);
  if (was_empty) {
    database_->execute(settings);
    make_tables();
    return;
  }
  if (database_->number("SELECT count(*) FROM sqlite_schema") == 0) {  // killed while it was being made
    database_->execute(settings);
    make_tables();
    return;
  }
  expect_readable_version(*database_, path_);
  database_->execute(settings);
}

void Journal::make_tables() {
  database_->execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;",
                                 tables, application_id, journal_version));
}

void Journal::transaction(const std::function<void()>& body) const {
  database_->execute("BEGIN IMMEDIATE");
  try {
    body();
    database_->execute("COMMIT");
  } catch (...) {
    sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::optional<std::string> Journal::fact(const std::string& name) const {
  return guarded([&](Database& database) -> std::optional<std::string> {
    Statement statement(database, "SELECT value FROM facts WHERE name = ?");
    statement.bind_text(1, name);
    if (!statement.step()) return std::nullopt;
    return statement.text(0);
  });
}

OptionTexts Journal::list(const std::string& kind) const {
  return guarded([&](Database& database) {
    Statement statement(database, "SELECT name, value FROM lists WHERE kind = ? ORDER BY name");
    statement.bind_text(1, kind);
    OptionTexts values;
    while (statement.step()) values.emplace_back(statement.text(0), statement.text(1));
    return values;
  });
}

void Journal::record(const OptionTexts& facts, const std::vector<std::pair<std::string, OptionTexts>>& lists) {
  guarded([&](Database& database) {
    transaction([&] {
      Statement fact(database, "INSERT OR REPLACE INTO facts VALUES(?, ?)");
      for (const auto& [name, value] : facts) fact.bind_text(1, name).bind_text(2, value).run();
      Statement remove(database, "DELETE FROM lists WHERE kind = ?");
      Statement insert(database, "INSERT OR REPLACE INTO lists VALUES(?, ?, ?)");
      for (const auto& [kind, values] : lists) {
        remove.bind_text(1, kind).run();
        for (const auto& [name, value] : values) insert.bind_text(1, kind).bind_text(2, name).bind_text(3, value).run();
      }
    });
  });
}

std::vector<std::string> Journal::kinds() const {
  return guarded([&](Database& database) {
    Statement statement(database, "SELECT DISTINCT kind FROM lists ORDER BY kind");
    std::vector<std::string> kinds;
    while (statement.step()) kinds.push_back(statement.text(0));
    return kinds;
  });
}

std::vector<StoredTest> Journal::tests(std::uint64_t context) const {
  return guarded([&](Database& database) {
    Statement statement(database, "SELECT record FROM tests WHERE context = ? ORDER BY id");
    statement.bind_text(1, hexadecimal(context));
    std::vector<StoredTest> tests;
    while (statement.step()) {
      std::optional<StoredTest> test = decode(statement.text(0));
      if (!test) throw DatabaseError(SQLITE_CORRUPT, "the record of a test has changed");
      tests.push_back(*std::move(test));
    }
    return tests;
  });
}

std::size_t Journal::count_tests() const {
  return guarded(
      [&](Database& database) { return static_cast<std::size_t>(database.number("SELECT count(*) FROM tests")); });
}

std::size_t Journal::count_tests(std::uint64_t context) const {
  return guarded([&](Database& database) {
    Statement statement(database, "SELECT count(*) FROM tests WHERE context = ?");
    statement.bind_text(1, hexadecimal(context));
    return statement.step() ? static_cast<std::size_t>(statement.number(0)) : 0;
  });
}

std::optional<std::string> Journal::finished(const std::string& name) const {
  return fact(versioned(name));
}

void Journal::finish(const std::string& name, const std::string& text) {
  record({{versioned(name), text}});
}

std::string Journal::finished_or(const std::string& name, const std::function<std::string()>& work) {
  if (auto stored = finished(name)) return *std::move(stored);
  std::string fresh = work();
  finish(name, fresh);
  return fresh;
}

std::vector<FileEntry> Journal::files() const {
  return guarded([&](Database& database) {
    Statement statement(database, "SELECT name, file, bytes, hash, depends_on, note FROM files ORDER BY name");
    std::vector<FileEntry> entries;
    while (statement.step())
      entries.push_back({statement.text(0), statement.text(1), statement.text(3), statement.text(4), statement.text(5),
                         statement.number(2)});
    return entries;
  });
}

void Journal::set_file(const FileEntry& entry) {
  guarded([&](Database& database) {
    transaction([&] {
      Statement statement(database, "INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?, ?)");
      statement.bind_text(1, entry.name).bind_text(2, entry.file).bind(3, entry.bytes).bind_text(4, entry.hash);
      statement.bind_text(5, entry.depends_on).bind_text(6, entry.note).run();
    });
  });
}

void Journal::write(const std::vector<StoredTest>& tests) const {
  transaction([&] {
    Statement statement(*database_, "INSERT INTO tests VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const StoredTest& test : tests) {
      const CiResult& r = test.result;
      statement.bind_text(1, hexadecimal(test.context))
          .bind_text(2, test.feature)
          .bind_text(3, base::join_names(test.given));
      statement.bind(4, r.statistic).bind(5, r.effect).bind(6, r.p_value);
      statement.bind(7, static_cast<std::int64_t>(r.permutations)).bind(8, static_cast<std::int64_t>(r.exceedances));
      statement.bind(9, r.null_mean).bind(10, r.null_sd).bind(11, test.seconds).bind_blob(12, encode(test)).run();
    }
  });
}

}  // namespace macmi::run
