#include "macmi/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/name_list.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"

namespace macmi {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

double Stability::frequency(const std::string& feature) const {
  const auto found = std::lower_bound(features.begin(), features.end(), feature);
  if (found == features.end() || *found != feature || subsamples == 0) return 0;
  return static_cast<double>(selected_in[static_cast<std::size_t>(found - features.begin())]) /
         static_cast<double>(subsamples);
}

std::vector<std::size_t> subsample_rows(std::size_t samples, std::span<const std::int32_t> classes, double share,
                                        std::uint64_t seed, std::uint64_t index, std::span<const std::int32_t> units) {
  if (!units.empty()) {
    std::map<std::int32_t, std::vector<std::size_t>> rows_of;
    for (std::size_t i = 0; i < samples; ++i) rows_of[units[i]].push_back(i);
    std::vector<const std::vector<std::size_t>*> bundles;
    std::vector<std::int32_t> class_of;
    for (const auto& [unit, own] : rows_of) {
      bundles.push_back(&own);
      if (!classes.empty()) class_of.push_back(classes[own.front()]);
    }
    std::vector<std::size_t> rows;
    for (const std::size_t b : subsample_rows(bundles.size(), class_of, share, seed, index))
      rows.insert(rows.end(), bundles[b]->begin(), bundles[b]->end());
    std::sort(rows.begin(), rows.end());
    return rows;
  }
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

std::vector<std::size_t> stretch_of_rows(std::size_t samples, double share, std::uint64_t seed, std::uint64_t index) {
  const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(samples)));
  std::vector<std::size_t> rows(std::clamp<std::size_t>(wanted, 1, samples));
  base::RandomStream random(base::StreamKey(seed).with("stretch").with(index));
  std::iota(rows.begin(), rows.end(), random.below(samples - rows.size() + 1));
  return rows;
}

std::vector<std::string> taking_the_place_of(const std::string& member, const std::vector<std::string>& members,
                                             const std::vector<std::vector<std::string>>& selected) {
  std::map<std::string, std::size_t> with, without;
  std::size_t times_without = 0;
  for (const std::vector<std::string>& names : selected) {
    const bool there = contains(names, member);
    times_without += !there;
    for (const std::string& name : names)
      if (!contains(members, name)) ++(there ? with : without)[name];
  }
  const std::size_t times_with = selected.size() - times_without;
  std::vector<std::string> found;
  for (const auto& [name, times] : without)
    if (times >= 2 && 4 * times >= times_without && 2 * with[name] * times_without <= times * times_with)
      found.push_back(name);
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return without[a] > without[b]; });
  return found;
}

Stability selection_frequencies(std::vector<std::string> features, const std::vector<std::string>& members,
                                const std::function<std::vector<std::size_t>(std::uint64_t)>& draw,
                                const StabilityOptions& options, std::size_t threads,
                                const std::function<std::vector<std::string>(std::span<const std::size_t>)>& members_on,
                                const FinishedWork& finished) {
  std::vector<std::vector<std::string>> selected(options.subsamples.value_or(StabilityOptions::light_subsamples));
  base::parallel_for(selected.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const auto search = [&] { return members_on(draw(b)); };
      selected[b] = finished.text ? base::split_names(finished.text(fmt::format("subsample {}", b),
                                                                    [&] { return base::join_names(search()); }))
                                  : search();
    }
  });
  std::set<std::string> claimed;  // others that take the place of a member that is selected sometimes
  Stability stability{selected.size(), options.share, std::move(features), {}, {}};
  std::sort(stability.features.begin(), stability.features.end());
  for (const std::string& feature : stability.features) {
    const auto times =
        std::count_if(selected.begin(), selected.end(), [&](const auto& names) { return contains(names, feature); });
    stability.selected_in.push_back(static_cast<std::size_t>(times));
    stability.exchanged_for.push_back(contains(members, feature) ? taking_the_place_of(feature, members, selected)
                                                                 : std::vector<std::string>());
    if (times > 0) claimed.insert(stability.exchanged_for.back().begin(), stability.exchanged_for.back().end());
  }
  // Nothing can be compared with a member that is never selected: those that another member explains are left out.
  for (std::size_t f = 0; f < stability.features.size(); ++f)
    if (stability.selected_in[f] == 0)
      std::erase_if(stability.exchanged_for[f], [&](const auto& name) { return claimed.count(name) != 0; });
  return stability;
}

}  // namespace macmi
