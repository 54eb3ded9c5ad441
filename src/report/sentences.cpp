#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/number_of.hpp"
#include "base/suggest.hpp"
#include "macmi/error.hpp"
#include "report/selection.hpp"

namespace macmi::report {
namespace {

const FeatureVerdict& find(const Selection& s, const std::string& name) {
  std::vector<std::string> names;
  for (const FeatureVerdict& f : s.blanket.features) {
    if (f.name == name) return f;
    names.push_back(f.name);
  }
  throw InputError(fmt::format("the result has no feature '{}'{}", name, base::name_hint(name, names)));
}

const char* whole(const Selection& s, bool conditional) {
  return s.target.categorical ? "of its entropy"
         : conditional        ? "of the variance left, as between Gaussians"
                              : "of its variance, as between Gaussians";
}

/// "0.412±0.020 nats about y, 28% of its entropy"
std::string nats_about(const Selection& s, double effect, double error, bool conditional) {
  return fmt::format("{} nats about {}, {} {}", nats_text(effect, error), s.target.name,
                     share_text(uncertainty_share(s.target, effect)), whole(s, conditional));
}

/// Of the search's test. Its p-value is no number to report where a second pass has a better one.
std::string tells(const Selection& s, const CiResult& r, bool conditional) {
  if (std::isnan(r.p_value)) return fmt::format("(no test: {})", r.notes.empty() ? "not made" : r.notes.front());
  return fmt::format("{} ({}, {} samples)",
                     nats_about(s, std::max(0.0, r.effect), MeasuredFeature::unknown, conditional), p_phrase(r.p_value),
                     r.n);
}

/// "p = 0.001, q = 0.004, 1000 samples"
std::string significance(const MeasuredFeature& m) {
  return fmt::format("{}, q = {}, {} samples", p_phrase(m.p_value), p_text(m.q_value), m.test.n);
}

std::string alone_sentence(const Selection& s, const FeatureVerdict& f) {
  if (f.measured && !std::isnan(f.measured->alone))
    return fmt::format("Alone it tells {}.", nats_about(s, f.measured->alone, f.measured->alone_error, false));
  return f.marginal ? fmt::format("Alone it tells {}.", tells(s, *f.marginal, false)) : "";
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
        "{} is selected as a co-parent: beside other selected features it tells something about {} that it may not "
        "tell alone.",
        f.name, s.target.name);
  if (s.no_children)
    return fmt::format(
        "{} is selected as a direct cause of {}, provided that {} causes no feature and that no common cause is "
        "missing from the data.",
        f.name, s.target.name, s.target.name);
  return fmt::format(
      "{} is selected as adjacent to {}: no others that were tried explain the dependence away. It may stand in for "
      "something that was not measured.",
      f.name, s.target.name);
}

void explain_measured_member(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  const MeasuredFeature& m = *f.measured;
  const std::string given = m.given.empty()
                                ? "As the only selected feature"
                                : fmt::format("Beyond all other selected features ({})", list_text(m.given));
  if (std::isnan(m.p_value))
    lines.push_back(fmt::format("{} it could not be tested: {}.", given,
                                m.test.notes.empty() ? "no test was made" : m.test.notes.front()));
  else if (std::isnan(m.effect))
    lines.push_back(fmt::format("{} it is tested with {}; {}.", given, significance(m), m.remark));
  else
    lines.push_back(
        fmt::format("{} it tells {} ({}).", given, nats_about(s, m.effect, m.effect_error, true), significance(m)));
}

void explain_selected(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  lines.push_back(role_sentence(s, f));
  if (f.partner)
    lines.push_back(fmt::format("{} matters together with {} ({} nats; alone {}; both cut into few levels).", f.name,
                                f.partner->name, nats_text(f.partner->information), nats_text(f.partner->alone)));
  if (std::string line = alone_sentence(s, f); !line.empty()) lines.push_back(std::move(line));
  if (f.measured) {
    explain_measured_member(s, f, lines);
  } else if (f.deciding && !f.deciding->given.empty()) {
    if (f.re_tested)
      lines.push_back(fmt::format("Given all other selected features ({}) it still tells {}.",
                                  list_text(f.deciding->given), tells(s, f.deciding->result, true)));
    else
      lines.push_back(fmt::format("Its weakest test was the one given {}: there it tells {}.",
                                  list_text(f.deciding->given), tells(s, f.deciding->result, true)));
  }
  if (f.role == Role::adjacent && f.tests > 1 && f.reason == Reason::tested)
    lines.push_back(fmt::format("No set of up to {} made it redundant, in {} tests.",
                                base::number_of(s.delta, "other candidate"), f.tests));
  if (!f.interchangeable.empty())
    lines.push_back(fmt::format(
        "{} could stand in its place: given the other selected features {} about {}, and once {} is known, {} is not "
        "shown to add anything.",
        list_text(f.interchangeable), f.interchangeable.size() == 1 ? "it tells" : "each of them tells", s.target.name,
        f.interchangeable.size() == 1 ? "it" : "one of them", f.name));
  if (!f.re_tested && !f.measured && !s.no_children && !s.blanket.partial)
    lines.push_back(
        "It was not re-tested given all other selected features: they have more columns than the test has power "
        "for, or the shrink pass was off. It may be redundant.");
}

/// "a (p = 0.01) would need p = 0.0005 …": dependent by itself, not among so many.
std::string too_weak_sentence(const Selection& s, const FeatureVerdict& f) {
  const std::string where = f.separating_set.empty() ? "alone" : "given the selected features";
  if (f.measured && !std::isnan(f.measured->p_value))
    return fmt::format(
        "{} is not selected: in the search it showed a dependence on {} {}, too weak where {} features are asked "
        "together (now {}).",
        f.name, s.target.name, where, s.blanket.features.size(), significance(*f.measured));
  std::string needed;
  if (!std::isnan(s.blanket.joint_level))
    needed = fmt::format(" p = {} would be needed", p_text(s.blanket.joint_level));
  return fmt::format("{} is not selected: {} it shows a dependence on {} ({}), but among {} features asked together{}.",
                     f.name, where, s.target.name, p_phrase(f.deciding->result.p_value), s.blanket.features.size(),
                     needed.empty() ? " that may be chance" : needed);
}

/// Says how much a feature adds to the selected ones, with numbers that may be reported.
std::string beyond_the_selected(const Selection& s, const FeatureVerdict& f) {
  const MeasuredFeature& m = *f.measured;
  const std::string given = m.given.empty() ? "Alone" : "Beyond the selected features";
  if (std::isnan(m.p_value)) return fmt::format("{} it could not be tested.", given);
  const std::string effect =
      std::isnan(m.effect) ? m.remark : nats_about(s, m.effect, m.effect_error, !m.given.empty());
  return fmt::format("{} it tells {} ({}).", given, effect, significance(m));
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
  const std::string numbers =
      f.measured || !f.deciding ? "" : fmt::format(" ({})", verdict_text(s, f.deciding->result));
  if (f.reason == Reason::undecidable) {
    lines.push_back(
        fmt::format("{} cannot be told apart from {}: once {} known, almost nothing of {} or of {} is left to "
                    "be tested{}.",
                    f.name, list_text(f.separating_set), f.separating_set.size() == 1 ? "it is" : "they are", f.name,
                    s.target.name, numbers));
    return add_what_it_stands_for(s, f, lines);
  }
  if (f.separating_set.empty()) {
    lines.push_back(
        fmt::format("{} is not selected: alone it is not shown to depend on {}{}.", f.name, s.target.name, numbers));
    if (f.measured) lines.push_back(beyond_the_selected(s, f));
    return;
  }
  lines.push_back(fmt::format("{} is not selected: it is not shown to add anything about {} beyond {}{}.", f.name,
                              s.target.name, list_text(f.separating_set), numbers));
  if (f.measured) lines.push_back(beyond_the_selected(s, f));
  if (std::string line = alone_sentence(s, f); !line.empty() && f.marginal && f.marginal->p_value <= s.alpha)
    lines.push_back(std::move(line));
  add_what_it_stands_for(s, f, lines);
  for (const std::string& name : f.separating_set) {
    const FeatureVerdict& other = find(s, name);
    if (other.role == Role::excluded && !other.separating_set.empty())
      lines.push_back(fmt::format("{} itself is not selected: it is not shown to add anything beyond {}.", name,
                                  list_text(other.separating_set)));
  }
}

void add_near_misses(const Selection& s, const FeatureVerdict& f, std::vector<std::string>& lines) {
  if (f.near_misses.empty()) return;
  lines.push_back(fmt::format(
      "{} in the search {} close to the limit (p = {}{}); the nearest:",
      f.tests == 1 ? "Its one test" : fmt::format("{} of its {} tests", f.near_miss_count, f.tests),
      f.near_miss_count == 1 ? "was" : "were", s.alpha, s.min_cmi > 0 ? fmt::format(", {} nats", s.min_cmi) : ""));
  for (const Evidence& e : f.near_misses)
    lines.push_back(fmt::format("  {}: effect {} nats, {}", given_text(e.given), nats_text(e.result.effect),
                                p_phrase(e.result.p_value)));
}

}  // namespace
}  // namespace macmi::report

namespace macmi {

std::vector<std::string> explanation(const Selection& s, const std::string& feature) {
  const FeatureVerdict& f = report::find(s, feature);
  std::vector<std::string> lines;
  if (!f.same_as.empty() && f.reason == Reason::copy) {
    lines.push_back(fmt::format("{} is an exact copy of {}, which stands for both:", f.name, f.same_as));
    for (std::string& line : explanation(s, f.same_as)) lines.push_back(std::move(line));
    return lines;
  }
  f.role == Role::excluded ? report::explain_excluded(s, f, lines) : report::explain_selected(s, f, lines);
  report::add_near_misses(s, f, lines);
  if (std::string line = report::stability_sentence(s, f); !line.empty()) lines.push_back(std::move(line));
  for (const FeatureVerdict& other : s.blanket.features)
    if (other.same_as == f.name) lines.push_back(fmt::format("{} is an exact copy of it.", other.name));
  if (f.deciding)
    for (const std::string& note : f.deciding->result.notes) lines.push_back(fmt::format("Note: {}.", note));
  if (s.blanket.partial)
    lines.push_back(fmt::format("The search is partial: it ended in the stage '{}'.", s.blanket.stopped_in));
  return lines;
}

}  // namespace macmi
