#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "macmi/run.hpp"
#include "run/database.hpp"
#include "run/stored_test.hpp"
#include "run/write_behind.hpp"

namespace macmi::run {

/// A file as the journal knows it.
struct FileEntry {
  std::string name;
  std::string file;  ///< relative to the run directory
  std::string hash, depends_on, note;
  std::int64_t bytes = 0;
};

inline constexpr const char* journal_name = "journal.sqlite";
inline constexpr std::int64_t journal_version = 1;

/// The memory of a directory, in one SQLite file with a write-ahead log. Rows of tests are only added: an
/// interrupted write can only lack the last ones.
class Journal {
 public:
  /// Opens it, or makes one where there is none. Throws InputError, as all functions here do.
  explicit Journal(const std::string& directory, const std::string& name = journal_name);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Single values: "target", "state", "result", … and finished work.
  std::optional<std::string> fact(const std::string& name) const;
  /// Named lists: "features", "fixed", "data", and the test options of every context.
  OptionTexts list(const std::string& kind) const;
  std::vector<std::string> kinds() const;
  /// All of it or nothing; a list replaces the one of its kind.
  void record(const OptionTexts& facts, const std::vector<std::pair<std::string, OptionTexts>>& lists = {});

  std::vector<StoredTest> tests(std::uint64_t context) const;
  std::size_t count_tests() const;
  std::size_t count_tests(std::uint64_t context) const;
  /// Returns at once. Throws what went wrong with those before it.
  void append(StoredTest test) { writer_->append(std::move(test)); }
  /// Waits until all are on disk.
  void flush() { writer_->flush(); }

  /// Finished work by name, used again under the same results_version() alone. Stored at once.
  std::optional<std::string> finished(const std::string& name) const;
  void finish(const std::string& name, const std::string& text);
  /// The stored text, or what `work` gives, which is then stored.
  std::string finished_or(const std::string& name, const std::function<std::string()>& work);

  std::vector<FileEntry> files() const;
  void set_file(const FileEntry& entry);

 private:
  void prepare();
  void make_tables();
  void write(const std::vector<StoredTest>& tests) const;
  void transaction(const std::function<void()>& body) const;
  template <class Body>
  auto guarded(Body body) const;

  std::string directory_, path_;
  mutable std::mutex database_mutex_;
  mutable std::optional<Database> database_;
  std::optional<WriteBehind> writer_;  ///< last, so that it writes what is left while the database is open
};

/// Explains a database error to the user of this run.
[[noreturn]] void refuse_journal(const std::string& directory, const DatabaseError& error);
/// Throws where the file is of a newer version, or not a journal.
void expect_readable_version(Database& database, const std::string& path);

}  // namespace macmi::run
