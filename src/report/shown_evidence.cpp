#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/selection.hpp"

namespace macmi::report {

bool has_second_pass(const Blanket& blanket) {
  return std::any_of(blanket.features.begin(), blanket.features.end(), [](const auto& f) { return f.measured; });
}

ShownEvidence shown(const Blanket& blanket, const FeatureVerdict& f) {
  ShownEvidence e;
  if (f.measured) {
    const MeasuredFeature& m = *f.measured;
    return {m.effect, m.effect_error, m.alone, m.alone_error, m.p_value, m.q_value};
  }
  if (has_second_pass(blanket)) return e;
  if (f.deciding) e.effect = f.deciding->result.effect, e.p_value = f.deciding->result.p_value;
  if (f.marginal) e.alone = f.marginal->effect;
  return e;
}

const CiResult* test_shown(const FeatureVerdict& f) {
  return f.measured ? &f.measured->test : f.deciding ? &f.deciding->result : nullptr;
}

std::vector<const FeatureVerdict*> by_effect(const Blanket& blanket, bool selected) {
  std::vector<const FeatureVerdict*> all;
  for (const FeatureVerdict& f : blanket.features)
    if ((f.role != Role::excluded) == selected) all.push_back(&f);
  const auto strength = [&](const FeatureVerdict* f) {
    const ShownEvidence e = shown(blanket, *f);
    const double nats = selected ? e.effect : e.alone;
    return std::isnan(nats) ? -1e9 : nats;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto* a, const auto* b) { return strength(a) > strength(b); });
  return all;
}

namespace {

/// ", a and b most" of the features that come next.
std::string coming_first(const Sufficiency& s) {
  if (s.next.empty()) return "";
  return fmt::format(", {} most", some_names(s.next));
}

}  // namespace

std::string sufficiency_text(const Selection& selection) {
  if (!selection.sufficiency) return "";
  const Sufficiency& s = *selection.sufficiency;
  if (!s.measured()) return fmt::format("Is it enough? {}.", s.remark);
  const std::string numbers = fmt::format("{} {:.3f} against {:.3f}, difference {:+.3f} to {:+.3f}", s.measure,
                                          s.of_selected, s.of_all, s.low, s.high);
  const std::string set = fmt::format("Selected {} of {}", s.selected, s.all);
  if (s.enough)
    return fmt::format("{}: a predictor on these is not shown to be worse than one on all ({}).", set, numbers);
  return fmt::format("{}: the others together still add {} nats{} ({}).", set,
                     nats_text(s.missing_nats, s.missing_nats_error), coming_first(s), numbers);
}

}  // namespace macmi::report
