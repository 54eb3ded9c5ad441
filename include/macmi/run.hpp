#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "macmi/ci_test.hpp"
#include "macmi/dataset.hpp"
#include "macmi/finished_work.hpp"
#include "macmi/select.hpp"

namespace macmi {

/// The subject of a run. A directory belongs to one set of samples and one seed; it may hold tests made with different
/// test options, each used only under the options it was made with.
struct RunSubject {
  std::string target;
  std::size_t samples = 0;
  std::string fingerprint;  ///< of all the data
  OptionTexts features;     ///< name and fingerprint of each, and of the target
  OptionTexts fixed;        ///< --seed: another value is refused
  OptionTexts data;         ///< data options: only to tell what differs when the data does
  OptionTexts test;         ///< options that a finished test depends on
  std::string command;      ///< that goes on with the run, for people
};

/// The subject of a selection on the samples as they are. `more` joins `test`: what mapped samples depend on.
RunSubject selection_subject(const Dataset& data, const DataOptions& read, const SelectOptions& options,
                             const OptionTexts& more = {});

/// Counts of stored tests that were used, continued and made.
struct RunTests {
  std::size_t stored = 0;     ///< usable ones that were there when the run was opened
  std::size_t reused = 0;     ///< asked for and there; no permutation drawn
  std::size_t continued = 0;  ///< there, but more permutations had to be drawn
  std::size_t made = 0;       ///< made afresh
  double seconds_each = 0;    ///< mean time of a stored test; 0: unknown
};

/// A file kept in a run.
struct StoredFile {
  enum class State {
    absent,
    outdated,  ///< made from something else: `depends_on` differs
    damaged,   ///< not the bytes that were stored
    intact
  };
  State state = State::absent;
  std::string path;        ///< of an intact file
  std::string note;        ///< as given when it was stored
  std::string depends_on;  ///< as given when it was stored
};

/// A directory that outlives the process: every finished test in an SQLite journal, files, the result. Whatever is
/// stored was stored as a whole; a process that is killed, or a power cut, loses the tests under way and those of the
/// last tenths of a second, and the same search goes on from the rest to the same bits. One process at a time.
/// Errors of the directory (in use, other data, unwritable, full, damaged, of a newer version) are InputErrors.
class Run {
 public:
  /// Opens the directory, or makes it. Throws InputError naming the difference when it belongs to other data.
  Run(const std::string& directory, const RunSubject& subject);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::string& directory() const;
  /// Where learning keeps its checkpoints (MapsHooks::folder).
  std::string training_folder() const;
  /// Remarks for the user, in sentences: tests that cannot be used and why, a lock left behind.
  const std::vector<std::string>& notes() const;

  /// A test that takes from the run what is there and stores what is not. `inner` and the run must outlive it.
  std::unique_ptr<TargetCiTest> keep(const TargetCiTest& inner);
  RunTests tests() const;

  /// Names are chosen by the caller ("maps/fold-0.model"); `depends_on` is all that the content follows from.
  StoredFile file(const std::string& name, const std::string& depends_on) const;
  /// Stores a file as a whole: `write` fills the path it is given, then the bytes are put in place and their hash into
  /// the journal. A file of that name stays until then.
  StoredFile store_file(const std::string& name, const std::string& depends_on,
                        const std::function<void(const std::string& path)>& write, const std::string& note = {});

  /// Keeps finished parts of work in the run. `follows_from` is all that they follow from beside their names and the
  /// samples; the run must outlive it.
  FinishedWork finished_work(const std::string& follows_from);

  /// Waits until everything is on disk.
  void flush();
  /// Writes result.json and marks the run as finished. `summary` is one line for lists of runs.
  void finish(const std::string& result_json, const std::string& summary);

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The directory of a selection that was given none: macmi-runs/<data>-<target>-<8 digits over data, seed and test
/// options>.
std::string default_run_directory(const RunSubject& subject, const DataOptions& data);
inline constexpr const char* default_runs_folder = "macmi-runs";

/// One run as `macmi runs` lists it.
struct RunSummary {
  enum class State { running, interrupted, finished, damaged, newer };
  std::string directory;
  State state = State::interrupted;
  std::int64_t process = 0;  ///< of a running one
  std::string target;
  std::string result;     ///< one line; empty before the end
  std::string command;    ///< that goes on with it
  std::string problem;    ///< of a damaged or newer one
  std::size_t tests = 0;  ///< stored
  double age = 0;         ///< seconds since something was last written
  std::uint64_t bytes = 0;
};
const char* text(RunSummary::State state);

/// The runs in a folder, most recent first; the folder may be a run itself. Nothing is changed.
std::vector<RunSummary> list_runs(const std::string& folder);

/// Removes a run: the files that macmi wrote, and the directory if nothing else is in it. Throws InputError where it is
/// in use or is no run.
void remove_run(const std::string& directory);

/// Makes a new journal of the tests that can still be read in a damaged one, which is kept beside it. Their number.
std::size_t repair_run(const std::string& directory);

/// The result of a finished run, or of a file that `macmi select` wrote: RUN may be a directory, the name of one in
/// macmi-runs, or a file. Throws InputError where there is none.
std::string result_file(const std::string& run);

}  // namespace macmi
