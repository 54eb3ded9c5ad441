#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "macmi/select.hpp"

namespace macmi {

/// What differs from run to run; kept apart in the JSON, so that the rest is comparable bit by bit.
struct SelectionTiming {
  double seconds = 0;
  std::size_t threads = 0;
  std::size_t tests_made = 0;                   ///< those evaluated ahead in vain included
  std::size_t tests_continued = 0;              ///< of a run: stored, but more permutations were drawn
  std::size_t tests_reused = 0;                 ///< of a run: stored, and taken as they were
  std::string source = {};                      ///< what was read
  std::string command = {};                     ///< what gives this result again
  std::size_t ranks = 0;                        ///< that made tests; 0: one process, without MPI
  double efficiency = 0;                        ///< share of the ranks' time that went into tests, 0 to 1
  std::vector<std::size_t> tests_of_rank = {};  ///< how many tests each rank made, from rank 0 on
};

/// The result as JSON (docs/search.md names every field).
std::string selection_json(const Selection& selection, const SelectionTiming& timing);
/// The same back. Throws InputError naming `source` when the text is not such a result.
Selection read_selection_json(const std::string& text, const std::string& source);
SelectionTiming read_selection_timing(const std::string& text, const std::string& source);

/// The result for a terminal: selected features, excluded ones with what made each redundant, remarks.
std::string selection_text(const Selection& selection);

/// Why a feature is in, or what made it redundant, in sentences. Throws InputError with the nearest name when there is
/// no such feature.
std::vector<std::string> explanation(const Selection& selection, const std::string& feature);

/// The result in one sentence, and what follows from it for the features left out.
struct Answer {
  std::string sentence;
  std::string consequence;
};
Answer answer(const Selection& selection);

/// Why an excluded feature is not selected, in a few words: "redundant given a and b", "no dependence alone".
std::string short_reason(const FeatureVerdict& excluded);

/// Strongest first: selected features by what they add, excluded ones by what they tell alone.
std::vector<const FeatureVerdict*> by_effect(const Blanket& blanket, bool selected);

/// What to try when nothing was selected, beginning with the strongest candidates.
std::vector<std::string> advice_when_empty(const Selection& selection);

/// "0.001", "0.43", "3e-12": two significant digits. "-" for a test that was not made.
std::string p_text(double p);
/// "p = 0.43", "p < 1e-300"
std::string p_phrase(double p);
/// "0.412", "0.0031"; "-" for a test that was not made.
std::string nats_text(double nats);
/// "34%", "0.4%", "<0.1%"
std::string share_text(double share);
/// "a", "a and b", "a, b and c"
std::string list_text(const std::vector<std::string>& names);
/// The same; of many or long names the first ones and how many more there are.
std::string some_names(std::vector<std::string> names);

}  // namespace macmi
