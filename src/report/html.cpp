#include "report/html.hpp"

#include <fmt/format.h>

#include "macmi/error.hpp"

namespace macmi {
namespace {

std::string as_html_text(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

/// JSON that holds nothing an HTML parser could take for the end of a script or the start of a comment.
std::string as_script_text(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

/// Replaces each mark of the page by its text. Marks are looked for in the page alone, never in the texts put in.
std::string filled(std::string_view page, const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string html;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = page.find(mark);
    if (at == std::string_view::npos) throw Error(fmt::format("the report page has no {}", mark));
    html.append(page.substr(0, at)).append(text);
    page.remove_prefix(at + mark.size());
  }
  return html.append(page);
}

}  // namespace

void require_report_page() {
  if (report::report_page().empty())
    throw InputError(
        "this build of macmi has no report page: configure it without -DMACMI_REPORT=OFF, with npm installed");
}

std::string report_html(const Selection& selection, const SelectionTiming& timing, const Evaluation* evaluation) {
  require_report_page();
  const std::string data = report::report_data(selection, timing, evaluation);
  const Answer said = answer(selection);
  return filled(report::report_page(),
                {{"%TITLE%", as_html_text(fmt::format("What matters for {}: macmi report", selection.target.name))},
                 {"%ANSWER%", as_html_text(said.sentence)},
                 {"%CONSEQUENCE%", as_html_text(said.consequence)},
                 {"%DATA%", as_script_text(data)}});
}

}  // namespace macmi

namespace macmi::report {

std::string experiment_html(const std::string& title, const std::string& answer, const std::string& consequence,
                            const std::string& data) {
  require_report_page();
  return filled(experiment_page(), {{"%TITLE%", as_html_text(title)},
                                    {"%ANSWER%", as_html_text(answer)},
                                    {"%CONSEQUENCE%", as_html_text(consequence)},
                                    {"%DATA%", as_script_text(data)}});
}

}  // namespace macmi::report
