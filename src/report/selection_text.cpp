#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/number_of.hpp"
#include "report/selection.hpp"

namespace macmi::report {
namespace {

/// Characters of UTF-8 text, so that columns of a table line up.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

using Row = std::vector<std::string>;

/// Columns padded to their widest cell. `numeric` columns are set to the right.
std::string table(const std::vector<Row>& rows, const std::vector<bool>& numeric) {
  std::vector<std::size_t> widths(numeric.size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - width(row[c]), ' ');
      line += fmt::format(" {}{}{} ", numeric[c] ? space : "", row[c], numeric[c] ? "" : space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string remark(const Selection& s, const FeatureVerdict& f) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}{}", text.empty() ? "" : ", ", part); };
  if (f.reason == Reason::required) add("--must");
  if (f.reason == Reason::number_asked) add("--n-features");
  if (f.partner) add(fmt::format("together with {} ({} nats)", f.partner->name, nats_text(f.partner->information)));
  if (!f.re_tested && !f.measured && !s.no_children && !s.blanket.partial) add("not re-tested");
  if (f.measured && !f.measured->remark.empty())
    add(f.measured->remark.starts_with("too few samples") ? "too few samples for an effect"
                                                          : "too many columns for an effect");
  std::vector<std::string> others = f.interchangeable;
  for (const FeatureVerdict& other : s.blanket.features) {
    if (other.same_as != f.name) continue;
    add("same as " + other.name);
    std::erase(others, other.name);
  }
  if (!others.empty()) add("or " + some_names(others));
  if (f.near_miss_count) add("close to the limit");
  return text;
}

std::string selected_table(const Selection& s) {
  const bool second_pass = has_second_pass(s.blanket);
  std::vector<Row> rows{{"feature", "role", "nats", "share", "p", second_pass ? "q" : "", "alone", "share",
                         s.stability ? "stable" : "", ""}};
  const auto share = [&](double effect) {
    return std::isnan(effect) ? "-" : share_text(uncertainty_share(s.target, effect));
  };
  for (const FeatureVerdict* f : by_effect(s.blanket, true)) {
    const ShownEvidence e = shown(s.blanket, *f);
    rows.push_back({f->name, text(f->role), nats_text(e.effect, e.effect_error), share(e.effect), p_text(e.p_value),
                    second_pass ? p_text(e.q_value) : "", nats_text(e.alone), share(e.alone), stability_cell(s, *f),
                    remark(s, *f)});
  }
  return table(rows, {false, false, true, true, true, true, true, true, true, false});
}

/// Of the features left out those that tell most alone; the others are in the JSON, the page and the run.
constexpr std::size_t excluded_shown = 15;

std::string excluded_table(const Selection& s) {
  const bool second_pass = has_second_pass(s.blanket);
  const std::vector<const FeatureVerdict*> all = by_effect(s.blanket, false);
  const std::size_t shown_here = all.size() > excluded_shown + 1 ? excluded_shown : all.size();
  const bool any_again = std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown_here),
                                     [&](const auto* f) { return !stability_cell(s, *f).empty(); });
  std::vector<Row> rows{
      {"not selected", "why", "nats", "p", second_pass ? "q" : "", "alone", any_again ? "stable" : ""}};
  for (const FeatureVerdict* f : std::span(all).first(shown_here)) {
    const bool tested = (f->measured || f->deciding) && f->same_as.empty();
    const ShownEvidence e = shown(s.blanket, *f);
    rows.push_back({f->name, short_reason(*f), tested ? nats_text(e.effect, e.effect_error) : "",
                    tested ? p_text(e.p_value) + (f->near_miss_count ? "*" : "") : "",
                    tested && second_pass ? p_text(e.q_value) : "", std::isnan(e.alone) ? "" : nats_text(e.alone),
                    stability_cell(s, *f)});
  }
  std::string text = table(rows, {false, false, true, true, true, true, true});
  if (shown_here < all.size())
    text += fmt::format("  and {} more that tell less alone: --json, --out and --report have them all\n",
                        all.size() - shown_here);
  return text;
}

std::string when_empty(const Selection& s) {
  std::string text = fmt::format("No feature shows a dependence on {} at --alpha {}. The strongest candidates:\n",
                                 s.target.name, s.alpha);
  for (const std::string& line : advice_when_empty(s)) text += "  " + line + "\n";
  text += "What could be tried:\n";
  if (s.method == "fisherz")
    text += "  --method knn: partial correlation sees only linear dependence\n";
  else
    text += "  --k 0.1 for broad, weak dependences; --k 5 for fine-grained ones\n";
  if (s.samples < 5000) text += fmt::format("  more samples than these {}, if there are any\n", s.samples);
  text += "  columns that belong together as one feature: --group\n";
  if (s.min_cmi > 0) text += fmt::format("  a smaller --min-cmi than {}\n", s.min_cmi);
  for (const auto& [name, value] : s.options)
    if (name == "fdr" && value != "0") text += "  a larger --fdr, or --fdr 0 for the paper's procedure\n";
  return text;
}

std::string legend(const Selection& s) {
  const std::string whole = s.target.categorical
                                ? fmt::format("of the target's entropy, {} nats", nats_text(s.target.entropy))
                                : "of the target's variance, as this information explains between Gaussians (R²)";
  if (!has_second_pass(s.blanket))
    return fmt::format(
        "  nats, share, p: of the test that decided, given the other selected features where it was re-tested;\n"
        "  alone: by itself. share: {}\n",
        whole);
  return fmt::format(
      "  nats: what it tells about {} beyond the other selected features, ± standard error; alone: by itself.\n"
      "  p, q: of the test given the other selected features, all permutations; q: adjusted for {}.\n"
      "  share: {}\n",
      s.target.name, base::number_of(s.blanket.features.size(), "feature"), whole);
}

}  // namespace

std::string short_reason(const FeatureVerdict& f) {
  switch (f.reason) {
    case Reason::forbidden:
      return "--never";
    case Reason::copy:
      return "same as " + f.same_as;
    case Reason::not_reached:
      return "not tested";
    case Reason::number_asked:
      return "--n-features";
    case Reason::too_weak:
      return f.separating_set.empty() ? "too weak alone" : "too weak given the selected";
    case Reason::undecidable:
      return fmt::format("cannot be told apart from {}", list_text(f.separating_set));
    default:
      break;
  }
  if (f.deciding && std::isnan(f.deciding->result.p_value)) return "could not be tested";
  return f.separating_set.empty() ? "nothing shown alone"
                                  : fmt::format("nothing shown beyond {}", some_names(f.separating_set));
}

}  // namespace macmi::report

namespace macmi {

std::string selection_text(const Selection& s) {
  const Blanket& b = s.blanket;
  std::string out =
      fmt::format("{} of {}: {} of {} ({}, {}{})\n", s.no_children ? "Direct causes" : "Markov blanket", s.target.name,
                  b.members.size(), base::number_of(b.features.size(), "feature"), base::number_of(s.samples, "sample"),
                  base::number_of(b.tests, "test"), b.partial ? ", partial" : "");
  if (b.members.empty()) {
    out += fmt::format("\n{}", report::when_empty(s));
  } else {
    out += fmt::format("\n{}", report::selected_table(s));
    out += "\n" + report::legend(s);
    if (s.stability) out += fmt::format("  stable: {}\n", report::stability_legend(s));
    const std::vector<std::string> exchanged = report::come_and_go(s);
    if (!exchanged.empty()) out += "\n";
    for (const std::string& line : exchanged) out += line + "\n";
  }
  if (const std::string line = report::sufficiency_text(s); !line.empty()) {
    out += fmt::format("\n{}\n", line);
    if (s.sufficiency->measured())
      out += "  Cross-validated, with a fresh predictor; the selection itself has seen these samples.\n";
  }
  if (b.members.size() < b.features.size() && !b.members.empty()) out += fmt::format("\n{}", report::excluded_table(s));
  if (std::any_of(b.features.begin(), b.features.end(), [](const auto& f) {
        return f.role == Role::excluded && f.near_miss_count && f.reason == Reason::tested;
      }))
    out += "  * one of its tests was close to the limit; macmi explain tells more\n";
  if (!b.notes.empty()) out += "\n";
  for (const std::string& note : b.notes) out += "Note: " + note + ".\n";
  return out;
}

}  // namespace macmi
