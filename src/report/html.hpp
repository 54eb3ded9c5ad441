#pragma once
#include <string>
#include <string_view>

#include "macmi/report.hpp"

namespace macmi::report {

/// An experiment as one page like that of report_html: what to see in a sentence, what follows, and what the page's
/// script draws (src/report/page/experiment.js) as JSON.
std::string experiment_html(const std::string& title, const std::string& answer, const std::string& consequence,
                            const std::string& data);

/// The data that the page's script draws, as JSON: the result in short form, with the sentences of `macmi explain`.
std::string report_data(const Selection& selection, const SelectionTiming& timing,
                        const Evaluation* evaluation = nullptr);

/// The page without its data, made from src/report/page at build time; empty when it was left out.
std::string_view report_page();
std::string_view experiment_page();

}  // namespace macmi::report
