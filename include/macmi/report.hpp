#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "macmi/select.hpp"

namespace macmi {

struct Evaluation;

/// Values that differ from run to run; kept apart in the JSON, so that the rest is comparable bit by bit.
struct SelectionTiming {
  double seconds = 0;
  std::size_t threads = 0;
  std::size_t tests_made = 0;                   ///< with those evaluated ahead and not used
  std::size_t tests_continued = 0;              ///< of a run: stored, but more permutations were drawn
  std::size_t tests_reused = 0;                 ///< of a run: stored, and taken as they were
  std::string source = {};                      ///< name of the input
  std::string command = {};                     ///< the command that gives this result again
  std::size_t ranks = 0;                        ///< that made tests; 0: one process, without MPI
  double efficiency = 0;                        ///< share of the ranks' time that went into tests, 0 to 1
  std::vector<std::size_t> tests_of_rank = {};  ///< how many tests each rank made, from rank 0 on
};

/// The result as JSON (docs/search.md names every field).
std::string selection_json(const Selection& selection, const SelectionTiming& timing = {});
/// Reads selection_json back. Throws InputError naming `source` when the text is not such a result.
Selection read_selection_json(const std::string& text, const std::string& source);
SelectionTiming read_selection_timing(const std::string& text, const std::string& source);

/// The data and the options that a result was made with, as it records them. Throws InputError naming `source` where it
/// does not say which data it was made of, or names options that this version does not have.
SelectionInputs selection_inputs(const Selection& selection, const std::string& source);

/// The result for a terminal: selected features, excluded ones with what made each redundant, remarks.
std::string selection_text(const Selection& selection);

/// Tells why a feature is in, or what made it redundant, in sentences. Throws InputError with the nearest name when
/// there is no such feature.
std::vector<std::string> explanation(const Selection& selection, const std::string& feature);

/// The result in one sentence, and what follows from it for the features left out.
struct Answer {
  std::string sentence;
  std::string consequence;
};
Answer answer(const Selection& selection);

/// One line for lists of runs: "2 of 7: a and b".
std::string selection_summary(const Selection& selection);

/// The result as one HTML page that needs no network: docs/report.md says what is in it. Names are shown as text,
/// whatever they hold. Throws InputError when this build has no report page (see cmake/report_page.cmake).
/// `evaluation`: of macmi evaluate, shown where there is one.
std::string report_html(const Selection& selection, const SelectionTiming& timing = {},
                        const Evaluation* evaluation = nullptr);

/// Throws InputError when this build has no report page: to be known before hours of work.
void require_report_page();

}  // namespace macmi
