#pragma once
#include <string>
#include <vector>

#include "macmi/report.hpp"

namespace macmi::report {

/// Why an excluded feature is not selected, in a few words: "nothing shown beyond a and b", "nothing shown alone".
std::string short_reason(const FeatureVerdict& excluded);

/// Numbers as a table shows them: of the second pass; of the search where there was none.
struct ShownEvidence {
  double effect = MeasuredFeature::unknown, effect_error = MeasuredFeature::unknown;
  double alone = MeasuredFeature::unknown, alone_error = MeasuredFeature::unknown;
  double p_value = MeasuredFeature::unknown, q_value = MeasuredFeature::unknown;
};
ShownEvidence shown(const Blanket& blanket, const FeatureVerdict& feature);
/// True where a second pass measured the evidence once the members were known.
bool has_second_pass(const Blanket& blanket);
/// The test whose null distribution a page shows; nothing where there is none.
const CiResult* test_shown(const FeatureVerdict& feature);

/// "Selected 4 of 30: a predictor on these is not shown to be worse than one on all …"
std::string sufficiency_text(const Selection& selection);

/// "9 of 10": the subsamples that selected the feature; empty where that was not asked.
std::string stability_cell(const Selection& selection, const FeatureVerdict& feature);
/// Explains the numbers of stability_cell.
std::string stability_legend(const Selection& selection);
/// One line for each member that is exchanged for others on subsamples: "x1 (7 of 10) comes and goes: …"
std::vector<std::string> come_and_go(const Selection& selection);
/// The same of one feature in a sentence; empty where it was not asked.
std::string stability_sentence(const Selection& selection, const FeatureVerdict& feature);

/// Strongest first: selected features by what they add, excluded ones by what they tell alone.
std::vector<const FeatureVerdict*> by_effect(const Blanket& blanket, bool selected);

/// Suggestions for when nothing was selected, beginning with the strongest candidates.
std::vector<std::string> advice_when_empty(const Selection& selection);

/// "0.001", "0.43", "3e-12": two significant digits. "-" for a test that was not made.
std::string p_text(double p);
/// "p = 0.43", "p < 1e-300"
std::string p_phrase(double p);
/// "0.412", "0.0031"; "-" for a test that was not made.
std::string nats_text(double nats);
/// "0.412±0.020", "0.0031±0.0012"; the error is left out where there is none.
std::string nats_text(double nats, double error);
/// "34%", "0.4%", "<0.1%"
std::string share_text(double share);
/// "a", "a and b", "a, b and c"
std::string list_text(const std::vector<std::string>& names);
/// The same; of many or long names the first ones and how many more there are.
std::string some_names(std::vector<std::string> names);

}  // namespace macmi::report
