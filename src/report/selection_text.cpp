#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "report/selection.hpp"

namespace macmi {
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
  if (!f.re_tested && !s.no_children && !s.blanket.partial) add("not re-tested");
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

/// "17/20"; empty without --stability.
std::string stability_cell(const Selection& s, const FeatureVerdict& f) {
  if (!s.stability) return "";
  const auto at = static_cast<std::size_t>(&f - s.blanket.features.data());  // both sorted by name
  return fmt::format("{}/{}", s.stability->selected_in[at], s.stability->subsamples);
}

/// What the surrogate gains on new samples, with its standard error.
std::string gain_text(const CiResult& r) {
  return std::isnan(r.gain) ? "-" : fmt::format("{:.3f}±{:.3f}", r.gain, r.gain_error);
}

std::string selected_table(const Selection& s) {
  const bool maps = !s.maps.empty();
  std::vector<Row> rows{{"feature", "role", "nats", "share", "p", "alone", "share", "p", maps ? "surrogate" : "",
                         s.stability ? "stable" : "", ""}};
  for (const FeatureVerdict* f : by_effect(s.blanket, true)) {
    const CiResult none = [] {
      CiResult r;
      r.effect = r.p_value = std::nan("");
      return r;
    }();
    const CiResult& deciding = f->deciding ? f->deciding->result : none;
    const CiResult& marginal = f->marginal ? *f->marginal : none;
    rows.push_back({f->name, text(f->role), nats_text(deciding.effect),
                    share_text(uncertainty_share(s.target, deciding.effect)), p_text(deciding.p_value),
                    nats_text(marginal.effect), share_text(uncertainty_share(s.target, marginal.effect)),
                    p_text(marginal.p_value), maps ? gain_text(deciding) : "", stability_cell(s, *f), remark(s, *f)});
  }
  return table(rows, {false, false, true, true, true, true, true, true, true, true, false});
}

/// Of the features left out those that tell most alone; the others are in the JSON, the page and the run.
constexpr std::size_t excluded_shown = 15;

std::string excluded_table(const Selection& s) {
  std::vector<Row> rows{{"not selected", "why", "nats", "p", "alone", "p", s.stability ? "stable" : ""}};
  const std::vector<const FeatureVerdict*> all = by_effect(s.blanket, false);
  const std::size_t shown = all.size() > excluded_shown + 1 ? excluded_shown : all.size();
  for (const FeatureVerdict* f : std::span(all).first(shown)) {
    const bool tested = f->deciding && f->same_as.empty();
    rows.push_back({f->name, short_reason(*f), tested ? nats_text(f->deciding->result.effect) : "",
                    tested ? p_text(f->deciding->result.p_value) + (f->near_miss_count ? "*" : "") : "",
                    f->marginal ? nats_text(f->marginal->effect) : "", f->marginal ? p_text(f->marginal->p_value) : "",
                    stability_cell(s, *f)});
  }
  std::string text = table(rows, {false, false, true, true, true, true, true});
  if (shown < all.size())
    text += fmt::format("  and {} more that tell less alone: --json, --out and --report have them all\n",
                        all.size() - shown);
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

}  // namespace

std::vector<const FeatureVerdict*> by_effect(const Blanket& blanket, bool selected) {
  std::vector<const FeatureVerdict*> all;
  for (const FeatureVerdict& f : blanket.features)
    if ((f.role != Role::excluded) == selected) all.push_back(&f);
  const auto effect = [&](const FeatureVerdict* f) {
    const CiResult* r = selected && f->deciding ? &f->deciding->result : f->marginal ? &*f->marginal : nullptr;
    return r == nullptr || std::isnan(r->effect) ? -1.0 : r->effect;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return effect(a) > effect(b); });
  return all;
}

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
  return f.separating_set.empty() ? "no dependence alone"
                                  : fmt::format("redundant given {}", list_text(f.separating_set));
}

std::string selection_text(const Selection& s) {
  const Blanket& b = s.blanket;
  std::string out = fmt::format("{} of {}: {} of {} features ({} samples, {} tests{})\n",
                                s.no_children ? "Direct causes" : "Markov blanket", s.target.name, b.members.size(),
                                b.features.size(), s.samples, b.tests, b.partial ? ", partial" : "");
  if (b.members.empty()) {
    out += fmt::format("\n{}", when_empty(s));
  } else {
    out += fmt::format("\n{}", selected_table(s));
    out += fmt::format(
        "\n  nats, share, p: what it adds given the other selected features; alone: by itself.\n  share: {}\n",
        s.target.categorical ? fmt::format("of the target's entropy, {} nats", nats_text(s.target.entropy))
                             : "of the target's variance, as this information explains between Gaussians (R²)");
    if (s.stability)
      out += fmt::format("  stable: selected in how many searches on random {} of the samples\n",
                         share_text(s.stability->share));
  }
  if (!s.maps.empty() && !b.members.empty())
    out +=
        "  surrogate: nats per sample that the learned model gains from it on samples kept from training, ± standard "
        "error.\n";
  if (b.members.size() < b.features.size() && !b.members.empty()) out += fmt::format("\n{}", excluded_table(s));
  if (std::any_of(b.features.begin(), b.features.end(), [](const auto& f) {
        return f.role == Role::excluded && f.near_miss_count && f.reason == Reason::tested;
      }))
    out += "  * one of its tests was close to the limit; macmi explain tells more\n";
  if (!b.notes.empty()) out += "\n";
  for (const std::string& note : b.notes) out += "Note: " + note + ".\n";
  return out;
}

}  // namespace macmi
