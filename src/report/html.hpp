#pragma once
#include <string>
#include <string_view>

#include "report/selection.hpp"

namespace macmi {

struct Evaluation;

/// The result as one HTML page that needs no network: what is in it, docs/report.md. Names are shown as text, whatever
/// they hold. Throws InputError when this build has no report page (see cmake/report_page.cmake).
/// `evaluation`: of macmi evaluate, shown where there is one.
std::string report_html(const Selection& selection, const SelectionTiming& timing,
                        const Evaluation* evaluation = nullptr);

/// Throws InputError when this build has no report page: to be known before hours of work.
void require_report_page();

/// An experiment as one such page: what to see in a sentence, what follows, and what the page's script draws
/// (src/report/page/experiment.js) as JSON.
std::string experiment_html(const std::string& title, const std::string& answer, const std::string& consequence,
                            const std::string& data);

/// What the page's script draws, as JSON: the result in short form, with the sentences of `macmi explain`.
std::string report_data(const Selection& selection, const SelectionTiming& timing,
                        const Evaluation* evaluation = nullptr);

/// The page without its data, made from src/report/page at build time; empty when it was left out.
std::string_view report_page();
std::string_view experiment_page();

}  // namespace macmi
