#include "run/ledger.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "base/files/whole_file.hpp"
#include "base/results_version.hpp"
#include "macmi/error.hpp"

namespace macmi::run {
namespace {

const std::string& made(const std::string& directory) {
  base::make_directory(directory);
  return directory;
}

/// Another version may measure otherwise.
std::string versioned(const std::string& name) {
  return fmt::format("{} {}", base::results_version(), name);
}

}  // namespace

Ledger::Ledger(const std::string& directory)
    : directory_(made(directory)),
      lock_(directory),
      database_(directory + "/measurements.sqlite", Database::Mode::create) {
  try {
    database_.execute("PRAGMA journal_mode = WAL");
    database_.execute("CREATE TABLE IF NOT EXISTS measurements (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
  } catch (const DatabaseError& error) {
    throw InputError(fmt::format("--out {}: measurements.sqlite cannot be used ({}); remove it to begin afresh",
                                 directory, error.what()));
  }
}

std::optional<std::string> Ledger::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  Statement statement(database_, "SELECT value FROM measurements WHERE name = ?1");
  statement.bind_text(1, versioned(name));
  if (!statement.step()) return std::nullopt;
  return statement.text(0);
}

void Ledger::store(const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  Statement statement(database_, "INSERT OR REPLACE INTO measurements VALUES (?1, ?2)");
  statement.bind_text(1, versioned(name)).bind_text(2, value);
  statement.run();
}

std::string Ledger::value(const std::string& name, const std::function<std::string()>& measure) {
  if (auto stored = find(name)) return *stored;
  std::string fresh = measure();
  store(name, fresh);
  return fresh;
}

double Ledger::number(const std::string& name, const std::function<double()>& measure) {
  const std::string text = value(name, [&] { return fmt::format("{}", measure()); });
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void Ledger::remove() {
  std::error_code none;
  for (const char* name :
       {"measurements.sqlite", "measurements.sqlite-wal", "measurements.sqlite-shm", "training", lock_name})
    std::filesystem::remove_all(directory_ + "/" + name, none);
  std::filesystem::remove(directory_, none);
}

Watch::Watch(ProgressCallback progress, std::string unit, std::size_t expected) : progress_(std::move(progress)) {
  now_.unit = std::move(unit);
  now_.expected = expected;
}

void Watch::begin(const std::string& stage, const std::string& current) {
  {
    const std::lock_guard lock(mutex_);
    now_.stage = stage;
    now_.current = current;
  }
  if (!keep_going()) throw Cancelled();
}

void Watch::done(bool stored) {
  {
    const std::lock_guard lock(mutex_);
    ++now_.done;
    now_.stored += stored;
    now_.expected = std::max(now_.expected, now_.done);
  }
  if (!keep_going()) throw Cancelled();
}

bool Watch::keep_going() {
  const std::lock_guard lock(mutex_);
  stopped_ = stopped_ || (progress_ && !progress_(now_));
  return !stopped_;
}

}  // namespace macmi::run
