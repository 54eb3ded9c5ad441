// The result in a sentence, what follows from it, and what to try where there is none.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/selection.hpp"

namespace macmi::report {

std::string some_names(std::vector<std::string> names) {
  constexpr std::size_t room = 90;  // bytes
  std::size_t used = 0, shown = 0;
  while (shown < names.size() && (shown < 2 || used + names[shown].size() <= room)) used += names[shown++].size() + 2;
  if (shown + 1 < names.size()) {
    const std::size_t more = names.size() - shown;
    names.resize(shown);
    names.push_back(fmt::format("{} more", more));
  }
  return list_text(names);
}

namespace {

/// "x1 and x2 (adjacent), and x4 (co-parent)"
std::string members_by_role(const Selection& s) {
  std::vector<std::string> adjacent, co_parents;
  for (const FeatureVerdict* f : by_effect(s.blanket, true))
    (f->role == Role::adjacent ? adjacent : co_parents).push_back(f->name);
  if (s.no_children || co_parents.empty()) return some_names(adjacent);
  std::string text;
  if (!adjacent.empty()) text += fmt::format("{}, and ", some_names(adjacent));
  text += fmt::format("beside {} {}",
                      adjacent.empty()       ? "each other"
                      : adjacent.size() == 1 ? "it"
                                             : "them",
                      some_names(co_parents));
  return text;
}

/// How many features are so.
template <class Condition>
std::size_t count(const Blanket& b, const Condition& condition) {
  return static_cast<std::size_t>(std::count_if(b.features.begin(), b.features.end(), condition));
}

std::string were(std::size_t number, const char* one, const char* many) {
  return number == 1 ? std::string(one) : fmt::format("{} {}", number, many);
}

/// What the result says, and does not say, of the features left out.
std::vector<std::string> consequences(const Selection& s) {
  const Blanket& b = s.blanket;
  const std::size_t forbidden = count(b, [](const auto& f) { return f.reason == Reason::forbidden; });
  const std::size_t undecidable = count(b, [](const auto& f) { return f.reason == Reason::undecidable; });
  const std::size_t copies = count(b, [](const auto& f) { return f.reason == Reason::copy; });
  const std::size_t not_re_tested = count(b, [&](const auto& f) {
    return f.role != Role::excluded && !f.re_tested && !f.measured && f.same_as.empty() && !s.no_children && !b.partial;
  });
  const std::size_t rest = b.features.size() - b.members.size() - forbidden - undecidable - copies;
  std::vector<std::string> more;
  if (b.partial)
    more.push_back("The search is partial: --max-tests or --budget ended it.");
  else if (rest)
    more.push_back(fmt::format("Beyond {}, {} {} not shown to add anything about {} in {} samples.",
                               b.members.size() == 1 ? "it" : "these",
                               rest == 1 ? "the other one" : fmt::format("{} others", rest), rest == 1 ? "is" : "are",
                               s.target.name, s.samples));
  if (undecidable)
    more.push_back(fmt::format("{} be told apart from others by these samples.",
                               were(undecidable, "1 feature cannot", "features cannot")));
  if (copies) more.push_back(fmt::format("{} of another.", were(copies, "1 feature is a copy", "features are copies")));
  if (not_re_tested)
    more.push_back(fmt::format("{} not tested given all other selected ones and may be superfluous.",
                               were(not_re_tested, "1 selected feature was", "selected features were")));
  if (s.method == "fisherz") more.push_back("Partial correlation sees only linear dependence.");
  if (forbidden)
    more.push_back(fmt::format("{} left out by --never.", were(forbidden, "1 feature was", "features were")));
  return more;
}

}  // namespace

std::vector<std::string> advice_when_empty(const Selection& s) {
  std::vector<const FeatureVerdict*> ranked;
  for (const FeatureVerdict& f : s.blanket.features)
    if (f.marginal && !std::isnan(f.marginal->p_value) && f.same_as.empty()) ranked.push_back(&f);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto* a, const auto* b) {
    return std::pair(a->marginal->p_value, -a->marginal->effect) <
           std::pair(b->marginal->p_value, -b->marginal->effect);
  });
  std::vector<std::string> lines;
  if (ranked.size() > 5) ranked.resize(5);
  for (const FeatureVerdict* f : ranked)
    lines.push_back(
        fmt::format("{}: {} nats alone, {}", f->name, nats_text(f->marginal->effect), p_phrase(f->marginal->p_value)));
  return lines;
}

}  // namespace macmi::report

namespace macmi {

Answer answer(const Selection& s) {
  const Blanket& b = s.blanket;
  const std::size_t all = b.features.size(), members = b.members.size();
  const std::string& target = s.target.name;
  if (members == 0)
    return {fmt::format("{} a dependence on {} in {} samples.",
                        all == 1 ? "The one feature does not show" : fmt::format("None of {} features shows", all),
                        target, s.samples),
            {}};
  const std::string of_all = all == 1 ? "The one feature" : fmt::format("Of {} features, {}", all, members);
  const bool one = members == 1;
  Answer said;
  if (b.partial)
    said.sentence = fmt::format("{} {} not yet redundant for {}: {}.", of_all, one ? "is" : "are", target,
                                report::members_by_role(s));
  else if (s.no_children)
    said.sentence = fmt::format("{} {} of {} under the assumptions of --no-children: {}.", of_all,
                                one ? "is a direct cause" : "are direct causes", target, report::members_by_role(s));
  else
    said.sentence = fmt::format("{} {} found to matter for {}: {}.", of_all, one ? "is" : "are", target,
                                report::members_by_role(s));
  said.consequence = fmt::format("{}", fmt::join(report::consequences(s), " "));
  return said;
}

std::string selection_summary(const Selection& s) {
  return fmt::format("{} of {}{}{}{}", s.blanket.members.size(), s.blanket.features.size(),
                     s.blanket.partial ? " (partial)" : "", s.blanket.members.empty() ? "" : ": ",
                     report::list_text(s.blanket.members));
}

}  // namespace macmi
