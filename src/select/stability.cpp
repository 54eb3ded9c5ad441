#include "macmi/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/name_list.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"

namespace macmi {

double Stability::frequency(const std::string& feature) const {
  const auto found = std::lower_bound(features.begin(), features.end(), feature);
  if (found == features.end() || *found != feature || subsamples == 0) return 0;
  return static_cast<double>(selected_in[static_cast<std::size_t>(found - features.begin())]) /
         static_cast<double>(subsamples);
}

std::vector<std::size_t> subsample_rows(std::size_t samples, std::span<const std::int32_t> classes, double share,
                                        std::uint64_t seed, std::uint64_t index) {
  std::map<std::int32_t, std::vector<std::size_t>> strata;
  for (std::size_t i = 0; i < samples; ++i) strata[classes.empty() ? 0 : classes[i]].push_back(i);
  std::vector<std::size_t> rows;
  base::RandomStream random(base::StreamKey(seed).with("stability").with(index));
  for (auto& [code, members] : strata) {
    const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(members.size())));
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, members.size());
    for (std::size_t i = 0; i < count; ++i) std::swap(members[i], members[i + random.below(members.size() - i)]);
    rows.insert(rows.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

Stability selection_frequencies(std::vector<std::string> features, std::size_t samples,
                                std::span<const std::int32_t> classes, const StabilityOptions& options,
                                std::uint64_t seed, std::size_t threads,
                                const std::function<std::vector<std::string>(std::span<const std::size_t>)>& members_on,
                                const FinishedWork& finished) {
  std::vector<std::vector<std::string>> selected(options.subsamples);
  base::parallel_for(selected.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const auto search = [&] { return members_on(subsample_rows(samples, classes, options.share, seed, b)); };
      selected[b] = finished.text ? base::split_names(finished.text(fmt::format("subsample {}", b),
                                                                    [&] { return base::join_names(search()); }))
                                  : search();
    }
  });
  Stability stability{options.subsamples, options.share, std::move(features), {}};
  std::sort(stability.features.begin(), stability.features.end());
  for (const std::string& feature : stability.features)
    stability.selected_in.push_back(
        static_cast<std::size_t>(std::count_if(selected.begin(), selected.end(), [&](const auto& names) {
          return std::find(names.begin(), names.end(), feature) != names.end();
        })));
  return stability;
}

}  // namespace macmi
