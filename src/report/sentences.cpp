#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/suggest.hpp"
#include "macmi/error.hpp"
#include "report/selection.hpp"

namespace macmi {
namespace {

const FeatureVerdict& find(const Selection& s, const std::string& name) {
  std::vector<std::string> names;
  for (const FeatureVerdict& f : s.blanket.features) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  throw InputError(fmt::format("the result has no feature '{}'{}", name, did_you_mean(name, names)));
}

/// "0.41 nats about y, 28% of its uncertainty (p = 0.001, 1000 samples)"
std::string tells(const Selection& s, const CiResult& r, bool conditional) {
  if (std::isnan(r.p_value)) return fmt::format("(no test: {})", r.notes.empty() ? "not made" : r.notes.front());
  const char* whole = s.target.categorical ? "of its entropy"
                      : conditional        ? "of the variance left, as between Gaussians"
                                           : "of its variance, as between Gaussians";
  return fmt::format("{} nats about {}, {} {} ({}, {} samples)", nats_text(std::max(0.0, r.effect)), s.target.name,
                     share_text(uncertainty_share(s.target, r.effect)), whole, p_phrase(r.p_value), r.n);
}

std::string given_text(const std::vector<std::string>& given) {
  return given.empty() ? "alone" : fmt::format("given {}", list_text(given));
}

/// Why a test says "independent".
std::string verdict_text(const Selection& s, const CiResult& r) {
  if (std::isnan(r.p_value)) return r.notes.empty() ? "not tested" : r.notes.front();
  if (r.p_value <= s.alpha && r.effect < s.min_cmi)
    return fmt::format("the effect of {} nats is below --min-cmi {}, {}", nats_text(r.effect), s.min_cmi,
                       p_phrase(r.p_value));
  return fmt::format("effect {} nats, {} where {} would be needed, {} samples", nats_text(r.effect),
                     p_phrase(r.p_value), s.alpha, r.n);
}

std::string role_sentence(const Selection& s, const FeatureVerdict& f) {
  if (f.reason == Reason::required) return fmt::format("{} is selected because --must says so.", f.name);
  if (f.reason == Reason::number_asked)
    return fmt::format("{} is selected because --n-features asks for as many; the tests alone would not keep it.",
                       f.name);
  if (f.role == Role::co_parent)
    return fmt::format(
        "{} is selected as a co-parent of {}: a cause of something that {} causes too. It helps to predict {} "
        "once the adjacent features are known.",
        f.name, s.target.name, s.target.name, s.target.name);
  if (s.no_children)
    return fmt::format("{} is selected as a direct cause of {}, provided that {} causes no feature.", f.name,
                       s.target.name, s.target.name);
  return fmt::format("{} is selected as adjacent to {}: a direct cause or a direct effect of it.", f.name,
                     s.target.name);
}

void explain_selected(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  lines.push_back(role_sentence(s, f));
  if (f.marginal) lines.push_back(fmt::format("Alone it tells {}.", tells(s, *f.marginal, false)));
  if (f.deciding && !f.deciding->given.empty()) {
    if (f.re_tested)
      lines.push_back(fmt::format("Given all other selected features ({}) it still tells {}.",
                                  list_text(f.deciding->given), tells(s, f.deciding->result, true)));
    else
      lines.push_back(fmt::format("Of its tests the weakest was the one given {}: it tells {}.",
                                  list_text(f.deciding->given), tells(s, f.deciding->result, true)));
  }
  if (f.role == Role::adjacent && f.tests > 1 && f.reason == Reason::tested)
    lines.push_back(
        fmt::format("No set of up to {} other candidates made it redundant, in {} tests.", s.delta, f.tests));
  if (!f.interchangeable.empty())
    lines.push_back(fmt::format(
        "{} could stand in its place: given the other selected features {} of {}, and once {} is known, {} tells "
        "nothing more that the samples could show.",
        list_text(f.interchangeable), f.interchangeable.size() == 1 ? "it tells" : "each of them tells", s.target.name,
        f.interchangeable.size() == 1 ? "it" : "one of them", f.name));
  if (!f.re_tested && !s.no_children && !s.blanket.partial)
    lines.push_back(
        "It was not re-tested given all other selected features: they have more columns than the test has power "
        "for, or the shrink pass was off. It may be redundant.");
}

/// "a (p = 0.01) would need p = 0.0005 …": dependent by itself, not among so many.
std::string too_weak_sentence(const Selection& s, const FeatureVerdict& f) {
  std::string needed;
  if (!std::isnan(s.blanket.joint_level))
    needed = fmt::format(" p = {} would be needed", p_text(s.blanket.joint_level));
  return fmt::format("{} is not selected: {} it shows a dependence on {} ({}), but among {} features asked together{}.",
                     f.name, f.separating_set.empty() ? "alone" : "given the selected features", s.target.name,
                     p_phrase(f.deciding->result.p_value), s.blanket.features.size(),
                     needed.empty() ? " that may be chance" : needed);
}

void add_what_it_stands_for(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  for (const FeatureVerdict& member : s.blanket.features)
    if (std::count(member.interchangeable.begin(), member.interchangeable.end(), f.name))
      lines.push_back(fmt::format("It could stand in the place of {}.", member.name));
}

void explain_excluded(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  if (f.reason == Reason::forbidden)
    return lines.push_back(fmt::format("{} is not selected because --never says so.", f.name));
  if (f.reason == Reason::not_reached)
    return lines.push_back(fmt::format("{} was not tested: --max-tests or --budget ended the search before.", f.name));
  if (f.reason == Reason::number_asked)
    return lines.push_back(
        fmt::format("{} is not selected because --n-features asks for fewer than the tests keep.", f.name));
  if (f.reason == Reason::too_weak) return lines.push_back(too_weak_sentence(s, f));
  if (f.reason == Reason::undecidable) {
    lines.push_back(
        fmt::format("{} cannot be told apart from {}: once {} known, almost nothing of {} or of {} is left to "
                    "be tested ({}).",
                    f.name, list_text(f.separating_set), f.separating_set.size() == 1 ? "it is" : "they are", f.name,
                    s.target.name, verdict_text(s, f.deciding->result)));
    return add_what_it_stands_for(s, f, lines);
  }
  if (f.separating_set.empty()) {
    lines.push_back(fmt::format("{} is not selected: it shows no dependence on {} ({}).", f.name, s.target.name,
                                verdict_text(s, f.deciding->result)));
    return;
  }
  lines.push_back(fmt::format("{} is not selected: once {} {} known, it tells nothing more about {} ({}).", f.name,
                              list_text(f.separating_set), f.separating_set.size() == 1 ? "is" : "are", s.target.name,
                              verdict_text(s, f.deciding->result)));
  if (f.marginal && f.marginal->p_value <= s.alpha)
    lines.push_back(fmt::format("Alone it tells {}.", tells(s, *f.marginal, false)));
  add_what_it_stands_for(s, f, lines);
  for (const std::string& name : f.separating_set) {
    const FeatureVerdict& other = find(s, name);
    if (other.role == Role::excluded && !other.separating_set.empty())
      lines.push_back(fmt::format("{} itself is not selected: {} {} it redundant in turn.", name,
                                  list_text(other.separating_set),
                                  other.separating_set.size() == 1 ? "makes" : "make"));
  }
}

void add_near_misses(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  if (f.near_misses.empty()) return;
  lines.push_back(fmt::format("{} of its {} tests {} close to the limit (p = {}{}); the nearest:", f.near_miss_count,
                              f.tests, f.near_miss_count == 1 ? "was" : "were", s.alpha,
                              s.min_cmi > 0 ? fmt::format(", {} nats", s.min_cmi) : ""));
  for (const Evidence& e : f.near_misses)
    lines.push_back(fmt::format("  {}: effect {} nats, {}", given_text(e.given), nats_text(e.result.effect),
                                p_phrase(e.result.p_value)));
}

}  // namespace

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

/// "x1 and x2 (its direct causes and effects), and x4 (another cause of such an effect)"
std::string members_by_role(const Selection& s) {
  std::vector<std::string> adjacent, co_parents;
  for (const FeatureVerdict* f : by_effect(s.blanket, true))
    (f->role == Role::adjacent ? adjacent : co_parents).push_back(f->name);
  if (s.no_children) return some_names(adjacent);
  const char* direct = adjacent.size() == 1 ? "its direct cause or effect" : "its direct causes and effects";
  const char* others = co_parents.size() == 1 ? "another cause of such an effect" : "other causes of such effects";
  std::string text;
  if (!adjacent.empty()) text += fmt::format("{} ({})", some_names(adjacent), direct);
  if (!adjacent.empty() && !co_parents.empty()) text += ", and ";
  if (!co_parents.empty()) text += fmt::format("{} ({})", some_names(co_parents), others);
  return text;
}

}  // namespace

Answer answer(const Selection& s) {
  const Blanket& b = s.blanket;
  const std::size_t all = b.features.size(), members = b.members.size();
  const auto forbidden = static_cast<std::size_t>(
      std::count_if(b.features.begin(), b.features.end(), [](const auto& f) { return f.reason == Reason::forbidden; }));
  const std::size_t rest = all - members - forbidden;
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
    said.sentence =
        fmt::format("{} {} not yet redundant for {}: {}.", of_all, one ? "is" : "are", target, members_by_role(s));
  else if (s.no_children)
    said.sentence = fmt::format("{} {} of {}: {}.", of_all, one ? "is a direct cause" : "are direct causes", target,
                                members_by_role(s));
  else
    said.sentence = fmt::format("{} {} what there is to know about {}: {}.", of_all, one ? "tells" : "tell", target,
                                members_by_role(s));
  std::vector<std::string> more;
  if (b.partial)
    more.push_back("The search is partial: --max-tests or --budget ended it.");
  else if (rest)
    more.push_back(fmt::format("With {} known, {} {} nothing more about {} that {} samples could show.",
                               members == 1 ? "it" : "these",
                               rest == 1 ? "the other one" : fmt::format("the other {}", rest),
                               rest == 1 ? "tells" : "tell", target, s.samples));
  if (s.method == "fisherz") more.push_back("Partial correlation sees only linear dependence.");
  if (forbidden)
    more.push_back(fmt::format("{} left out by --never.",
                               forbidden == 1 ? "1 feature was" : fmt::format("{} features were", forbidden)));
  said.consequence = fmt::format("{}", fmt::join(more, " "));
  return said;
}

std::vector<std::string> explanation(const Selection& s, const std::string& feature) {
  const FeatureVerdict& f = find(s, feature);
  std::vector<std::string> lines;
  if (!f.same_as.empty() && f.reason == Reason::copy) {
    lines.push_back(fmt::format("{} is an exact copy of {}, which stands for both:", f.name, f.same_as));
    for (std::string& line : explanation(s, f.same_as)) lines.push_back(std::move(line));
    return lines;
  }
  f.role == Role::excluded ? explain_excluded(s, f, lines) : explain_selected(s, f, lines);
  add_near_misses(s, f, lines);
  if (s.stability)
    lines.push_back(fmt::format("It was selected in {} of {} searches on random {} of the samples.",
                                s.stability->selected_in[static_cast<std::size_t>(&f - s.blanket.features.data())],
                                s.stability->subsamples, share_text(s.stability->share)));
  for (const FeatureVerdict& other : s.blanket.features)
    if (other.same_as == f.name) lines.push_back(fmt::format("{} is an exact copy of it.", other.name));
  if (f.deciding)
    for (const std::string& note : f.deciding->result.notes) lines.push_back(fmt::format("Note: {}.", note));
  if (s.blanket.partial)
    lines.push_back(fmt::format("The search is partial: it ended in the stage '{}'.", s.blanket.stopped_in));
  return lines;
}

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

std::string selection_summary(const Selection& s) {
  return fmt::format("{} of {}{}{}{}", s.blanket.members.size(), s.blanket.features.size(),
                     s.blanket.partial ? " (partial)" : "", s.blanket.members.empty() ? "" : ": ",
                     list_text(s.blanket.members));
}

}  // namespace macmi
