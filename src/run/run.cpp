#include "macmi/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/files/whole_file.hpp"
#include "base/number_of.hpp"
#include "macmi/error.hpp"
#include "run/journal.hpp"
#include "run/kept_test.hpp"
#include "run/run_files.hpp"
#include "run/run_lock.hpp"
#include "run/stored_test.hpp"
#include "run/subject.hpp"

namespace macmi::run {
namespace {

/// The directory is made, unless it holds somebody else's files.
std::string prepared(const std::string& directory) {
  base::make_directory(directory);
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (!is_run_file(entry.path().filename().string()))
      throw InputError(
          fmt::format("--run {}: the directory holds other files ('{}'): give a new one, or one of an earlier run",
                      directory, entry.path().filename().string()));
  return directory;
}

std::string context_kind(std::uint64_t context) {
  return fmt::format("tests {:016x}", context);
}

RunSubject subject_in(const Journal& journal) {
  RunSubject subject;
  subject.target = journal.fact("target").value_or("");
  subject.samples = std::stoull(journal.fact("samples").value_or("0"));
  subject.fingerprint = journal.fact("fingerprint").value_or("");
  subject.features = journal.list("features");
  subject.fixed = journal.list("fixed");
  subject.data = journal.list("data");
  return subject;
}

void expect_same(const Journal& journal, const RunSubject& now, const std::string& directory) {
  if (!journal.fact("fingerprint")) return;  // new, or repaired: tests say themselves what they belong to
  const std::vector<std::string> found = differences(subject_in(journal), now);
  if (found.empty()) return;
  throw InputError(fmt::format("the run {} is about other data: {}. Give another --run, or what it was made with",
                               directory, fmt::join(found, "; ")));
}

/// Why tests that are there cannot be used: what differs from the options under which most of them were made.
std::string unused_tests(const Journal& journal, const RunSubject& now) {
  std::size_t most = 0;
  std::string closest;
  for (const std::string& kind : journal.kinds()) {
    if (!kind.starts_with("tests ") || kind == context_kind(test_context(now))) continue;
    const std::size_t tests = journal.count_tests(std::stoull(kind.substr(6), nullptr, 16));
    if (tests > most) most = tests, closest = kind;
  }
  if (most == 0) return {};
  return fmt::format("{} cannot be used here: {}. Nothing is removed; tests are made anew",
                     base::number_of(most, "stored test"),
                     fmt::join(option_differences(journal.list(closest), now.test), "; "));
}

}  // namespace
}  // namespace macmi::run

namespace macmi {

class Run::State {
 public:
  State(const std::string& directory, const RunSubject& subject)
      : directory_(run::prepared(directory)),
        lock_(directory_),
        journal_(directory_),
        tests_(journal_, run::test_context(subject)) {
    run::expect_same(journal_, subject, directory_);
    if (lock_.left_behind_by())
      notes_.push_back(fmt::format("process {} left the run {} without closing it; it goes on from {}",
                                   lock_.left_behind_by(), directory_,
                                   base::number_of(tests_.counts().stored, "stored test")));
    if (tests_.counts().stored == 0)
      if (const std::string note = run::unused_tests(journal_, subject); !note.empty()) notes_.push_back(note);
    record(subject);
    run::remove_unknown_files(directory_, journal_.files());
  }

  std::string directory_;
  run::RunLock lock_;
  run::Journal journal_;
  run::KeptTests tests_;
  std::vector<std::string> notes_;

 private:
  void record(const RunSubject& subject) {
    journal_.record({{"target", subject.target},
                     {"samples", fmt::format("{}", subject.samples)},
                     {"fingerprint", subject.fingerprint},
                     {"command", subject.command},
                     {"state", "started"}},
                    {{"features", subject.features},
                     {"fixed", subject.fixed},
                     {"data", subject.data},
                     {run::context_kind(run::test_context(subject)), subject.test}});
  }
};

Run::Run(const std::string& directory, const RunSubject& subject)
    : state_(std::make_unique<State>(directory, subject)) {}
Run::~Run() = default;

const std::string& Run::directory() const {
  return state_->directory_;
}

std::string Run::training_folder() const {
  return directory() + "/" + run::training_name;
}
const std::vector<std::string>& Run::notes() const {
  return state_->notes_;
}

std::unique_ptr<TargetCiTest> Run::keep(const TargetCiTest& inner) {
  return state_->tests_.keep(inner);
}
RunTests Run::tests() const {
  return state_->tests_.counts();
}

StoredFile Run::file(const std::string& name, const std::string& depends_on) const {
  return run::find_file(state_->directory_, state_->journal_, name, depends_on);
}

StoredFile Run::store_file(const std::string& name, const std::string& depends_on,
                           const std::function<void(const std::string& path)>& write, const std::string& note) {
  return run::put_file(state_->directory_, state_->journal_, {name, {}, {}, depends_on, note, 0}, write);
}

FinishedWork Run::finished_work(const std::string& follows_from) {
  const std::string key = fmt::format("{:016x}", run::content_hash(follows_from));
  return {[this, key](const std::string& name, const auto& work) {
            return state_->journal_.finished_or(fmt::format("{} {}", key, name), work);
          },
          training_folder()};
}

void Run::flush() {
  state_->journal_.flush();
}

void Run::finish(const std::string& result_json, const std::string& summary) {
  flush();
  base::write_whole_file(state_->directory_ + "/" + run::result_name, result_json + "\n");
  state_->journal_.record({{"state", "finished"}, {"result", summary}});
}

}  // namespace macmi
