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

/// A member whose place among all others no test has confirmed.
bool unconfirmed(const Selection& s, const FeatureVerdict& f) {
  return f.role != Role::excluded && !f.re_tested && !f.measured && f.same_as.empty() && !s.no_children &&
         !s.blanket.partial;
}

/// A member that the user's options put in, whatever tests say.
bool asked_for(const FeatureVerdict& f) {
  return f.role != Role::excluded && (f.reason == Reason::required || f.reason == Reason::number_asked);
}

/// Sentences on the features left out: what the result says of them, and what it does not say.
std::vector<std::string> consequences(const Selection& s) {
  const Blanket& b = s.blanket;
  const auto left_out = [&](Reason reason) {
    return count(b, [&](const auto& f) { return f.role == Role::excluded && f.reason == reason; });
  };
  const std::size_t forbidden = left_out(Reason::forbidden), undecidable = left_out(Reason::undecidable),
                    copies = left_out(Reason::copy), by_number = left_out(Reason::number_asked),
                    weak = left_out(Reason::too_weak);
  const std::size_t rest = b.features.size() - b.members.size() - forbidden - undecidable - copies - by_number;
  std::vector<std::string> more;
  if (b.partial)
    more.push_back("The search is partial: --max-tests or --budget ended it.");
  else if (rest && !b.members.empty())
    more.push_back(fmt::format("Beyond {}, {} {} not shown to add anything about {} in {} samples.",
                               b.members.size() == 1 ? "it" : "these",
                               rest == 1 ? "the other one" : fmt::format("{} others", rest), rest == 1 ? "is" : "are",
                               s.target.name, s.samples));
  if (b.members.empty() && weak)
    more.push_back(fmt::format("{} that may be chance where {} are asked.",
                               were(weak, "1 feature shows a weak one", "features show a weak one"),
                               b.features.size()));
  if (undecidable)
    more.push_back(fmt::format("{} be told apart from others by these samples.",
                               were(undecidable, "1 feature cannot", "features cannot")));
  if (copies) more.push_back(fmt::format("{} of another.", were(copies, "1 feature is a copy", "features are copies")));
  if (by_number)
    more.push_back(fmt::format("The tests would keep {}; --n-features leaves {} out.",
                               by_number == 1 ? "1 more" : fmt::format("{} more", by_number),
                               by_number == 1 ? "it" : "them"));
  if (const std::size_t open = count(b, [&](const auto& f) { return unconfirmed(s, f); }))
    more.push_back(fmt::format("{} not tested given all other selected ones and may be superfluous.",
                               were(open, "1 selected feature was", "selected features were")));
  if (s.method == "fisherz") more.push_back("Partial correlation sees only linear dependence.");
  if (forbidden)
    more.push_back(fmt::format("{} left out by --never.", were(forbidden, "1 feature was", "features were")));
  return more;
}

/// The reason why they are members. No word is stronger than the tests: "found to matter" needs each to be tested given
/// all the others.
std::string claim(const Selection& s, bool one) {
  const Blanket& b = s.blanket;
  const char* are = one ? "is" : "are";
  if (b.partial) return fmt::format("{} not yet redundant for {}", are, s.target.name);
  if (s.no_children)
    return fmt::format("{} of {} under the assumptions of --no-children",
                       one ? "is a direct cause" : "are direct causes", s.target.name);
  const auto of_them = [&](std::size_t some) {
    return one ? std::string() : some == b.members.size() ? "all " : fmt::format("{} of them ", some);
  };
  if (const std::size_t wished = count(b, asked_for))
    return fmt::format("{} selected for {}, {}because --must or --n-features asks for {}", are, s.target.name,
                       of_them(wished), wished == 1 ? "it" : "them");
  if (const std::size_t open = count(b, [&](const auto& f) { return unconfirmed(s, f); }))
    return fmt::format("{} selected for {}, {}without a test given all the others", are, s.target.name, of_them(open));
  return fmt::format("{} found to matter for {}", are, s.target.name);
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
  Answer said;
  if (members == 0) {
    said.sentence =
        fmt::format("{} a dependence on {} that stands out from chance in {} samples.",
                    all == 1 ? "The one feature does not show" : fmt::format("None of {} features shows", all),
                    s.target.name, s.samples);
  } else {
    said.sentence =
        fmt::format("{} {}: {}.", all == 1 ? "The one feature" : fmt::format("Of {} features, {}", all, members),
                    report::claim(s, members == 1), report::members_by_role(s));
  }
  said.consequence = fmt::format("{}", fmt::join(report::consequences(s), " "));
  return said;
}

std::string selection_summary(const Selection& s) {
  return fmt::format("{} of {}{}{}{}", s.blanket.members.size(), s.blanket.features.size(),
                     s.blanket.partial ? " (partial)" : "", s.blanket.members.empty() ? "" : ": ",
                     report::list_text(s.blanket.members));
}

}  // namespace macmi
