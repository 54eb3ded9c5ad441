#include "experiments/reproduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/files/whole_file.hpp"
#include "macmi/version.hpp"
#include "report/html.hpp"

namespace macmi::experiments {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted.push_back('"');
  return quoted;
}

nlohmann::ordered_json table_json(const ResultTable& table) {
  return {{"name", table.name}, {"title", table.title}, {"columns", table.columns}, {"rows", table.rows}};
}

}  // namespace

std::vector<Option> declare(ReproduceOptions& o) {
  return {
      {.name = "quick",
       .field = &o.quick,
       .meaning = "Fewer seeds, samples and permutations: minutes in place of hours"},
      {.name = "seeds",
       .field = &o.seeds,
       .meaning = "Data sets of each kind; 0: 10 (bullseye2d) or 5 (bullseye3d), quick 2 or 1",
       .high = 1000},
      {.name = "n", .field = &o.n, .meaning = "bullseye3d: samples; 0: 6000, quick 2000", .high = 16000},
      {.name = "permutations",
       .field = &o.permutations,
       .meaning = "bullseye3d: permutations of each test; ties of p are settled by z. 0: 200, quick 100",
       .high = 100000},
      {.name = "slow-statements",
       .field = &o.slow_statements,
       .meaning = "bullseye3d: statements tested by SDCIT and CCIT: all true ones and an even choice of the others; 0: "
                  "40, quick 24",
       .high = 1000},
      {.name = "dag",
       .field = choice_of(o.dag, {"both", "authors", "caption"}),
       .meaning = "bullseye3d: the graph of the authors' published code, of the paper's caption, or both"},
      {.name = "methods", .field = &o.methods, .meaning = "Only these methods; default: all of the experiment's"},
      {.name = "threads", .field = &o.threads, .meaning = "Threads; 0 means every core. Results do not depend on it"},
  };
}

std::string csv_text(const ResultTable& table) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c) text.push_back(',');
      text.append(csv_cell(cells[c]));
    }
    text.push_back('\n');
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string markdown_text(const Reproduction& r) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n\n{}. macmi {}.\n", r.answer, r.consequence,
                                 fmt::format("`macmi reproduce {}`", r.name), fmt::join(r.facts, "; "), version());
  for (const ResultTable& table : r.tables) {
    if (!table.for_people) continue;
    text += fmt::format("\n## {}\n\n| {} |\n|", table.title, fmt::join(table.columns, " | "));
    for (std::size_t c = 0; c < table.columns.size(); ++c) text += "---|";
    text += '\n';
    for (const auto& row : table.rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  }
  return text;
}

std::vector<std::string> write_reproduction(const Reproduction& r, const std::string& directory) {
  nlohmann::ordered_json data = {
      {"facts", r.facts}, {"version", version()}, {"figures", nlohmann::ordered_json::parse(r.figures)}};
  data["tables"] = nlohmann::ordered_json::array();
  for (const ResultTable& table : r.tables)
    if (table.for_people) data["tables"].push_back(table_json(table));
  std::vector<std::string> files;
  const auto put = [&](const std::string& name, const std::string& content) {
    files.push_back(directory + "/" + name);
    base::write_whole_file(files.back(), content);
  };
  for (const ResultTable& table : r.tables) put(table.name + ".csv", csv_text(table));
  put(r.name + ".md", markdown_text(r));
  put(r.name + ".html",
      report::experiment_html(fmt::format("macmi reproduce {}", r.name), r.answer, r.consequence, data.dump()));
  return files;
}

}  // namespace macmi::experiments
