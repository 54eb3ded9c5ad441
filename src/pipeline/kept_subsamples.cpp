#include "pipeline/kept_subsamples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <mutex>

namespace macmi {
namespace {

/// All that a search follows from beside the samples, which a run is bound to: the features and every option that can
/// change the result.
std::string what_a_search_follows_from(const SelectOptions& options, const Dataset& data) {
  std::vector<std::string> names = data.feature_names();
  std::sort(names.begin(), names.end());
  std::string all = fmt::format("{}", fmt::join(names, "\n"));
  for (const auto& [name, value] : deciding_options(options))
    if (name != "stability") all += fmt::format("\n--{} {}", name, value);
  return all;
}

std::string what_a_light_search_starts_from(const KnownAnswer& answer) {
  std::string all = fmt::format("\nmembers\n{}", fmt::join(answer.members, "\n"));
  for (const auto& [member, names] : answer.stand_ins)
    all += fmt::format("\nin the place of {}\n{}", member, fmt::join(names, "\n"));
  return all + fmt::format("\nothers\n{}", fmt::join(answer.others, "\n"));
}

}  // namespace

SubsampleMemory kept_subsamples(Run& run, const Dataset& data, const SelectOptions& options, const KnownAnswer* from) {
  const auto name = [kind = from ? "light stability" : "stability"](std::size_t index) {
    return fmt::format("{}/{}", kind, index);
  };
  const std::string depends_on =
      what_a_search_follows_from(options, data) + (from ? what_a_light_search_starts_from(*from) : "");
  const auto one_at_a_time = std::make_shared<std::mutex>();
  SubsampleMemory memory;
  memory.recall = [&run, name, depends_on,
                   one_at_a_time](std::size_t index) -> std::optional<std::vector<std::string>> {
    const std::lock_guard lock(*one_at_a_time);
    const StoredFile file = run.file(name(index), depends_on);
    if (file.state != StoredFile::State::intact) return std::nullopt;
    std::vector<std::string> selected;
    std::ifstream in(file.path, std::ios::binary);
    for (std::string feature; std::getline(in, feature, '\0');) selected.push_back(feature);
    return selected;
  };
  memory.keep = [&run, name, depends_on, one_at_a_time](std::size_t index, const std::vector<std::string>& selected) {
    const std::lock_guard lock(*one_at_a_time);
    run.store_file(name(index), depends_on, [&](const std::string& path) {
      std::ofstream out(path, std::ios::binary);
      for (const std::string& feature : selected) out << feature << '\0';
    });
  };
  return memory;
}

}  // namespace macmi
