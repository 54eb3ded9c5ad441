#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "macmi/finished_work.hpp"
#include "macmi/progress.hpp"
#include "run/journal.hpp"
#include "run/run_lock.hpp"

namespace macmi::run {

/// The finished measurements of an experiment, by name, in a journal of its directory: what a process that was ended
/// had measured is not measured again. Work may keep checkpoints in its folder `training`. One process at a time; any
/// thread.
class Ledger {
 public:
  /// Opens the directory, or makes it. Throws InputError where it cannot be used or is in use.
  explicit Ledger(const std::string& directory);

  const std::string& directory() const { return directory_; }
  std::optional<std::string> find(const std::string& name) const { return journal_.finished(name); }
  void store(const std::string& name, const std::string& value) { journal_.finish(name, value); }

  /// The stored value, or what `measure` gives, which is then stored.
  std::string value(const std::string& name, const std::function<std::string()>& measure);
  double number(const std::string& name, const std::function<double()>& measure);
  /// The same for work that knows nothing of directories. The ledger must outlive it.
  FinishedWork work();

  /// Everything is finished and written elsewhere: removes its files, and the directory if nothing else is in it.
  void remove();

 private:
  std::string directory_;
  RunLock lock_;
  Journal journal_;
};

/// Counts finished measurements of an experiment and reports progress; from any thread.
class Watch {
 public:
  Watch(ProgressCallback progress, std::string unit, std::size_t expected);
  /// Throws Cancelled when the one who watches wants to stop.
  void begin(const std::string& stage, const std::string& current);
  void done(bool stored);
  /// For work that asks whether to go on.
  bool keep_going();

 private:
  ProgressCallback progress_;
  std::mutex mutex_;
  Progress now_;
  bool stopped_ = false;
};

}  // namespace macmi::run
