// A project of somebody else's, with the one include: an estimate, a test, a selection on learned maps and its report.
#include <cmath>
#include <cstdio>
#include <macmi/macmi.hpp>
#include <string>
#include <vector>

namespace {

/// A point in the plane whose distance from the centre is the target, and a point that has nothing to do with it.
macmi::Dataset rings(std::size_t n) {
  std::vector<std::vector<double>> columns(5, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i);
    const double radius = 1 + std::fmod(0.618034 * t, 1.0), angle = 2.399963 * t;
    columns[0][i] = radius * std::cos(angle);
    columns[1][i] = radius * std::sin(angle);
    columns[2][i] = std::sin(12.9898 * t);
    columns[3][i] = std::sin(78.233 * t + 1);
    columns[4][i] = radius;
  }
  macmi::MemoryTable table{"rings", n, {}};
  const char* const names[] = {"point_0", "point_1", "noise_0", "noise_1", "radius"};
  for (std::size_t c = 0; c < columns.size(); ++c) table.columns.push_back({names[c], columns[c].data()});
  macmi::DataOptions options;
  options.target = {"radius"};
  options.group = "^(\\w+)_";
  return macmi::make_dataset(table, options);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

int main() {
  std::vector<double> x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(std::sin(12.9898 * i));
    y.push_back(std::sin(78.233 * i + 1));
  }
  const double independent = macmi::mutual_information(x, y), copied = macmi::mutual_information(x, x);
  const macmi::CiResult test = macmi::ci_test(x, x, {});
  std::printf("independent %.3f, copied %.3f nats, p = %.3f (macmi %s)\n", independent, copied, test.p_value,
              macmi::version());
  macmi::DataOptions query;
  query.query = "SELECT i AS a, i * i AS b FROM range(10) t(i)";  // needs the DuckDB that was installed with macmi
  const macmi::Dataset read = macmi::read_dataset(query);

  const macmi::Dataset data = rings(400);
  macmi::SelectOptions options;
  options.maps.epochs = 40;
  options.maps.restarts = 1;
  options.test.permutations = 99;
  const macmi::Selection found = macmi::select_features(data, options);
  const std::string json = macmi::selection_json(found), text = macmi::selection_text(found);
  std::printf("%s", text.c_str());
  const bool learned = found.maps.size() == 2;
  const bool right = found.blanket.members == std::vector<std::string>{"point"};
  const bool told = macmi::read_selection_json(json, "json").blanket.members == found.blanket.members &&
                    !macmi::explanation(found, "point").empty();
  bool shown = true;
  try {
    shown = says(macmi::report_html(found), "point");
  } catch (const macmi::InputError& error) {
    shown = says(error.what(), "report page");  // built without one
  }
  return independent < 0.5 && copied > 2 && test.p_value < 0.05 && read.samples() == 10 && learned && right && told &&
                 shown
             ? 0
             : 1;
}
