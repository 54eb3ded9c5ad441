#include "select_run.hpp"

#include <fmt/format.h>

#include <fstream>
#include <mutex>

#include "base/files/whole_file.hpp"
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
      make_directory(directory);
    } catch (const InputError& error) {  // nobody asked for it: no reason to refuse the work
      say(fmt::format("nothing is kept of this run: {}; --run DIR says where", error.what()));
      return nullptr;
    }
  }
  auto run = std::make_unique<Run>(directory, subject);
  for (const std::string& note : run->notes()) say(note);
  const std::size_t stored = run->tests().stored;
  say(stored ? fmt::format("{}: goes on from {} stored tests", directory, stored)
             : fmt::format("{}: keeps every finished test; the same command goes on from them", directory));
  return run;
}

void keep_subsamples(Run& run, StabilityOptions& options, const std::string& depends_on) {
  const auto name = [](std::size_t index) { return fmt::format("stability/{}", index); };
  const auto one_at_a_time = std::make_shared<std::mutex>();
  options.recall = [&run, name, depends_on,
                    one_at_a_time](std::size_t index) -> std::optional<std::vector<std::string>> {
    const std::lock_guard lock(*one_at_a_time);
    const StoredFile file = run.file(name(index), depends_on);
    if (file.state != StoredFile::State::intact) return std::nullopt;
    std::vector<std::string> selected;
    std::ifstream in(file.path, std::ios::binary);
    for (std::string feature; std::getline(in, feature, '\0');) selected.push_back(feature);
    return selected;
  };
  options.keep = [&run, name, depends_on, one_at_a_time](std::size_t index, const std::vector<std::string>& selected) {
    const std::lock_guard lock(*one_at_a_time);
    run.store_file(name(index), depends_on, [&](const std::string& path) {
      std::ofstream out(path, std::ios::binary);
      for (const std::string& feature : selected) out << feature << '\0';
    });
  };
}

std::string interruption_text(const Run* run, const std::string& command, const std::string& how) {
  if (run == nullptr) return how + "; nothing is kept (with --run DIR the same command would go on)";
  const RunTests tests = run->tests();
  return fmt::format("{}; {} tests are kept in {}. This goes on from them:\n  {}", how, tests.stored + tests.made,
                     run->directory(), command);
}

}  // namespace macmi::cli
