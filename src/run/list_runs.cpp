// Runs from outside: what is there, what can be removed, what can be saved.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/files/whole_file.hpp"
#include "macmi/error.hpp"
#include "run/journal.hpp"
#include "run/run_files.hpp"
#include "run/run_lock.hpp"

namespace fs = std::filesystem;

namespace macmi::run {
namespace {

bool is_run(const std::string& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory + "/" + journal_name, ignored);
}

std::string fact(Database& database, const std::string& name) {
  Statement statement(database, "SELECT value FROM facts WHERE name = ?");
  return statement.bind_text(1, name).step() ? statement.text(0) : std::string();
}

void read_journal(RunSummary& run) {
  try {
    Database database(run.directory + "/" + journal_name, Database::Mode::read_only);
    if (database.number("SELECT count(*) FROM sqlite_schema") == 0) return;  // just being made
    try {
      expect_readable_version(database, run.directory + "/" + journal_name);
    } catch (const InputError& error) {
      run.state = RunSummary::State::newer;
      run.problem = error.what();
      return;
    }
    run.target = fact(database, "target");
    run.result = fact(database, "result");
    run.command = fact(database, "command");
    run.tests = static_cast<std::size_t>(database.number("SELECT count(*) FROM tests"));
    if (fact(database, "state") == "finished") run.state = RunSummary::State::finished;
  } catch (const DatabaseError& error) {
    run.state = RunSummary::State::damaged;
    run.problem = error.what();
  }
}

/// Size, and when something was last written.
void read_files(RunSummary& run) {
  fs::file_time_type last = fs::file_time_type::min();
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(run.directory, error)) {
    if (!entry.is_regular_file(error)) continue;
    const auto size = entry.file_size(error);
    if (!error) run.bytes += size;
    const std::string name = entry.path().filename().string();
    if (name == lock_name || name.ends_with("-shm")) continue;  // touched by looking
    if (const auto written = entry.last_write_time(error); !error) last = std::max(last, written);
  }
  if (last != fs::file_time_type::min())
    run.age = std::max(0.0, std::chrono::duration<double>(fs::file_time_type::clock::now() - last).count());
}

RunSummary summary(const std::string& directory) {
  RunSummary run;
  run.directory = directory;
  read_files(run);
  read_journal(run);
  run.process = lock_holder(directory);
  if (run.process && run.state != RunSummary::State::newer) run.state = RunSummary::State::running;
  return run;
}

void expect_run(const std::string& directory) {
  if (!is_run(directory)) throw InputError(fmt::format("{} is not the directory of a run", directory));
}

}  // namespace
}  // namespace macmi::run

namespace macmi {

const char* text(RunSummary::State state) {
  switch (state) {
    case RunSummary::State::running:
      return "running";
    case RunSummary::State::finished:
      return "finished";
    case RunSummary::State::damaged:
      return "damaged";
    case RunSummary::State::newer:
      return "newer";
    case RunSummary::State::interrupted:
      break;
  }
  return "interrupted";
}

std::vector<RunSummary> list_runs(const std::string& folder) {
  std::vector<RunSummary> runs;
  if (run::is_run(folder)) return {run::summary(folder)};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const std::string directory = entry.path().string(); run::is_run(directory))
      runs.push_back(run::summary(directory));
  if (error && fs::exists(folder)) throw InputError(fmt::format("{} cannot be read: {}", folder, error.message()));
  std::sort(runs.begin(), runs.end(), [](const RunSummary& a, const RunSummary& b) {
    return std::pair(a.age, a.directory) < std::pair(b.age, b.directory);
  });
  return runs;
}

void remove_run(const std::string& directory) {
  run::expect_run(directory);
  const run::RunLock lock(directory);
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(directory))
    if (const std::string name = entry.path().filename().string(); run::is_run_file(name)) ours.push_back(entry.path());
  // The journal last: as long as it is there, the directory is known as a run.
  std::stable_partition(ours.begin(), ours.end(),
                        [](const fs::path& path) { return path.filename() != run::journal_name; });
  for (const fs::path& path : ours) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) throw InputError(fmt::format("{} cannot be removed: {}", path.string(), error.message()));
  }
  std::error_code ignored;
  fs::remove(directory, ignored);  // stays when somebody else's files are in it
}

std::size_t repair_run(const std::string& directory) {
  run::expect_run(directory);
  const run::RunLock lock(directory);
  const std::string journal = directory + "/" + run::journal_name, log = journal + "-wal";
  std::vector<run::StoredTest> found = run::find_records(base::read_whole_file(journal));
  if (fs::exists(log))
    for (run::StoredTest& test : run::find_records(base::read_whole_file(log))) found.push_back(std::move(test));
  // Pages are written more than once: each test once, those that were gone on with longest last.
  std::stable_sort(found.begin(), found.end(), [](const run::StoredTest& a, const run::StoredTest& b) {
    const auto drawn = [](const run::StoredTest& t) {
      return t.result.null.looks.empty() ? 0 : t.result.null.looks.back().drawn;
    };
    return drawn(a) < drawn(b);
  });
  std::set<std::string> distinct;
  std::erase_if(found, [&](const run::StoredTest& test) { return !distinct.insert(run::encode(test)).second; });

  for (const std::string& path : {journal, log})
    if (fs::exists(path)) fs::rename(path, path + ".damaged");
  fs::remove(journal + "-shm");
  run::Journal repaired(directory);
  for (run::StoredTest& test : found) repaired.append(std::move(test));
  repaired.flush();
  return found.size();
}

std::string result_file(const std::string& run) {
  std::error_code ignored;
  std::string path = run;
  if (const std::string named = fmt::format("{}/{}", default_runs_folder, run);
      !fs::exists(path, ignored) && !run.empty() && run::is_run(named))
    path = named;
  if (!fs::is_directory(path, ignored)) return path;
  if (std::string result = path + "/" + run::result_name; fs::exists(result, ignored)) return result;
  if (!run::is_run(path))
    throw InputError(fmt::format("{} is not the directory of a run: it has no {}", path, run::journal_name));
  throw InputError(
      fmt::format("the run {} has no result yet: the command that began it goes on with it (`macmi runs {}` shows it)",
                  path, path));
}

}  // namespace macmi
