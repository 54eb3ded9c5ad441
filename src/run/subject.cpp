// Describes the subject of a run, and names its directory when the user does not.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/random.hpp"
#include "base/results_version.hpp"
#include "macmi/run.hpp"
#include "run/subject.hpp"

namespace macmi {
namespace {

/// Options under which a stored test can be judged again, gone on with, or is just not asked for. Every other option of
/// a selection is taken to change the tests themselves, those of tomorrow included.
bool applies_to_stored_tests(const std::string& name) {
  SearchOptions search;
  for (const Option& option : declare(search))
    if (option.name == name) return true;
  return name == "permutations" || name == "stop" || name == "resampling-risk" || name == "threads" ||
         name == "no-evidence";
}

base::StreamKey with_all(base::StreamKey key, const OptionTexts& texts) {
  for (const auto& [name, value] : texts) key = key.with(name).with(value);
  return key;
}

/// Letters, digits and a few signs that no shell and no file system minds.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, 40)) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (kept)
      result += c;
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  while (!result.empty() && (result.back() == '-' || result.back() == '.')) result.pop_back();
  while (!result.empty() && result.front() == '.') result.erase(0, 1);
  return result;
}

}  // namespace

RunSubject selection_subject(const Dataset& data, const DataOptions& read, const SelectOptions& options,
                             const OptionTexts& more) {
  RunSubject subject;
  subject.target = data.target.name;
  subject.samples = data.samples();
  subject.fingerprint = data.fingerprint();
  for (const Feature& feature : data.features) subject.features.emplace_back(feature.name, fingerprint(feature));
  subject.features.emplace_back(data.target.name, fingerprint(data.target));
  DataOptions as_read = read;
  for (const Option& option : declare(as_read))
    if (option.name != "seed") subject.data.emplace_back(option.name, value_text(option));
  SelectOptions given = options;
  for (const Option& option : declare(given)) {
    if (option.name == "seed")
      subject.fixed.emplace_back(option.name, value_text(option));
    else if (!applies_to_stored_tests(option.name))
      subject.test.emplace_back(option.name, value_text(option));
  }
  subject.test.insert(subject.test.end(), more.begin(), more.end());
  subject.test.emplace_back(run::made_by, base::results_version());
  std::sort(subject.test.begin(), subject.test.end());
  return subject;
}

std::string default_run_directory(const RunSubject& subject, const DataOptions& data) {
  const std::string source = data.data.empty() ? "query" : std::filesystem::path(data.data.front()).stem().string();
  std::string name = fmt::format("{}-{}", plain(source), plain(subject.target));
  name = plain(name);
  const auto digits = static_cast<std::uint32_t>(run::test_context(subject) >> 32);
  return fmt::format("{}/{}{}{:08x}", default_runs_folder, name, name.empty() ? "" : "-", digits);
}

}  // namespace macmi

namespace macmi::run {

std::uint64_t test_context(const RunSubject& subject) {
  return with_all(with_all(base::StreamKey(1).with(subject.fingerprint), subject.fixed), subject.test).value();
}

}  // namespace macmi::run
