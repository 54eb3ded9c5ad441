#include "select_run.hpp"

#include <fmt/format.h>

#include "base/files/whole_file.hpp"
#include "base/number_of.hpp"
#include "macmi/error.hpp"

namespace macmi::cli {

std::unique_ptr<Run> open_run(const RunRequest& request, const RunSubject& subject, const DataOptions& data) {
  const auto say = [&](const std::string& text) {
    if (!request.quiet) fmt::print(stderr, "{}\n", text);
  };
  std::string directory = request.directory;
  if (directory == "none" || (directory.empty() && request.json)) return nullptr;
  if (directory.empty()) {
    directory = default_run_directory(subject, data);
    try {
      base::make_directory(directory);
    } catch (const InputError& error) {  // nobody asked for it: no reason to refuse the work
      say(fmt::format("nothing is kept of this run: {}; --run DIR says where", error.what()));
      return nullptr;
    }
  }
  auto run = std::make_unique<Run>(directory, subject);
  for (const std::string& note : run->notes()) say(note);
  const std::size_t stored = run->tests().stored;
  say(stored ? fmt::format("{}: goes on from {}", directory, base::number_of(stored, "stored test"))
             : fmt::format("{}: keeps every finished test; the same command goes on from them", directory));
  return run;
}

std::string interruption_text(const Run* run, const std::string& command, const std::string& how) {
  if (run == nullptr) return how + "; nothing is kept (with --run DIR the same command would go on)";
  const RunTests tests = run->tests();
  return fmt::format("{}; {} kept in {}. This goes on from there:\n  {}", how,
                     base::number_of(tests.stored + tests.made, "test is", "tests are"), run->directory(), command);
}

}  // namespace macmi::cli
