#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number_of.hpp"
#include "run/subject.hpp"

namespace macmi::run {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr std::size_t most_names = 3;

/// "'a', 'b', 'c' and 5 others"
std::string some_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += fmt::format("{}'{}'", i ? ", " : "", names[i]);
  return names.size() > most_names ? fmt::format("{} and {} others", text, names.size() - most_names) : text;
}

void compare_features(const RunSubject& stored, const RunSubject& now, std::vector<std::string>& found) {
  const Texts before(stored.features.begin(), stored.features.end()), after(now.features.begin(), now.features.end());
  std::vector<std::string> gone, added, changed;
  for (const auto& [name, content] : before)
    if (const auto same = after.find(name); same == after.end())
      gone.push_back(name);
    else if (same->second != content)
      changed.push_back(name);
  for (const auto& [name, content] : after)
    if (!before.contains(name)) added.push_back(name);
  if (!gone.empty()) found.push_back(fmt::format("it had {}, which is not here", some_names(gone)));
  if (!added.empty()) found.push_back(fmt::format("it did not have {}", some_names(added)));
  if (!changed.empty() && stored.samples == now.samples)
    found.push_back(fmt::format("{} {} other values", some_names(changed), changed.size() == 1 ? "has" : "have"));
}

}  // namespace

std::vector<std::string> option_differences(const OptionTexts& stored, const OptionTexts& now) {
  const Texts before(stored.begin(), stored.end()), after(now.begin(), now.end());
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("not given") : value; };
  std::vector<std::string> found;
  for (const auto& [name, value] : after) {
    const auto same = before.find(name);
    const std::string was = same == before.end() ? "" : same->second;
    if (was == value) continue;
    const char* dashes = name == made_by ? "" : "--";
    found.push_back(fmt::format("{}{} was {} and is {}", dashes, name, shown(was), shown(value)));
  }
  for (const auto& [name, value] : before)
    if (!after.contains(name) && !value.empty())
      found.push_back(fmt::format("--{} was {} and is not given", name, value));
  return found;
}

std::vector<std::string> differences(const RunSubject& stored, const RunSubject& now) {
  std::vector<std::string> found = option_differences(stored.fixed, now.fixed);
  if (stored.fingerprint == now.fingerprint) return found;
  if (stored.target != now.target)
    found.push_back(fmt::format("the target was '{}' and is '{}'", stored.target, now.target));
  if (stored.samples != now.samples)
    found.push_back(fmt::format("it had {} and has {} now", base::number_of(stored.samples, "sample"), now.samples));
  compare_features(stored, now, found);
  for (std::string& option : option_differences(stored.data, now.data)) found.push_back(std::move(option));
  if (found.empty()) found.emplace_back("its samples belong to other units");
  return found;
}

}  // namespace macmi::run
