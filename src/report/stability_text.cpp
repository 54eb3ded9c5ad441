// How often a feature was selected again on parts of the samples, in words.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_of.hpp"
#include "report/selection.hpp"

namespace macmi::report {
namespace {

/// In the order of the features, as Stability's lists are.
std::size_t place(const Selection& s, const FeatureVerdict& f) {
  return static_cast<std::size_t>(&f - s.blanket.features.data());
}

/// "random halves of the samples", "random 40% of the samples"
std::string parts_text(const Stability& s) {
  return s.share == 0.5 ? "random halves of the samples" : fmt::format("random {} of the samples", share_text(s.share));
}

std::string times_text(const Selection& s, const std::string& feature) {
  for (const FeatureVerdict& f : s.blanket.features)
    if (f.name == feature) return stability_cell(s, f);
  return "";
}

/// "x2 (3 of 10)", "x2 (3 of 10) or x3 (2 of 10)"; the three most frequent
std::string with_times(const Selection& s, const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  const std::size_t shown = std::min(most, names.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : i + 1 == shown ? " or " : ", ", names[i], times_text(s, names[i]));
  return text;
}

}  // namespace

std::string stability_cell(const Selection& s, const FeatureVerdict& f) {
  if (!s.stability) return "";
  const std::size_t times = s.stability->selected_in[place(s, f)];
  // A light search asks few of the others: 0 would say too much of the rest.
  if (s.stability->light && times == 0 && f.role == Role::excluded) return "";
  return fmt::format("{} of {}", times, s.stability->subsamples);
}

std::string stability_legend(const Selection& s) {
  if (!s.stability) return "";
  if (s.stability->light)
    return fmt::format("in how many of {} {} it was selected again (a light search from this answer)",
                       s.stability->subsamples, parts_text(*s.stability));
  return fmt::format("in how many of {} on {} it was selected",
                     base::number_of(s.stability->subsamples, "search", "searches"), parts_text(*s.stability));
}

std::vector<std::string> come_and_go(const Selection& s) {
  std::vector<std::string> lines;
  if (!s.stability) return lines;
  for (const FeatureVerdict* f : by_effect(s.blanket, true))
    if (const auto& others = s.stability->exchanged_for[place(s, *f)]; !others.empty())
      lines.push_back(fmt::format("{} ({}) comes and goes: where it is not selected, {} is.", f->name,
                                  stability_cell(s, *f), with_times(s, others)));
  return lines;
}

std::string stability_sentence(const Selection& s, const FeatureVerdict& f) {
  if (!s.stability) return "";
  const std::string times = stability_cell(s, f);
  if (times.empty()) return "";
  std::string text = s.stability->light
                         ? fmt::format("On {} it was selected again in {}", parts_text(*s.stability), times)
                         : fmt::format("In searches on {} it was selected in {}", parts_text(*s.stability), times);
  if (const auto& others = s.stability->exchanged_for[place(s, f)]; !others.empty())
    text += fmt::format("; where it was not, {} was", with_times(s, others));
  return text + ".";
}

}  // namespace macmi::report
