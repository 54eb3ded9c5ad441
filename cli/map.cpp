// macmi map: see data through feature maps that were learned before.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/number_of.hpp"
#include "data/arrays/write_npy.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/maps.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string model;
  DataOptions data;
  std::string out;
  Output output;
};

void run(const Arguments& a) {
  const MapModelFile model(a.model);
  const Dataset data = read_dataset_like(a.data, model.schema());
  const auto maps = model.apply(data);
  std::size_t width = 1;
  for (const auto& columns : maps) width = std::max(width, columns.size());
  const std::size_t n = data.samples(), m = maps.size();
  std::vector<double> values(n * m * width, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t f = 0; f < m; ++f)
    for (std::size_t c = 0; c < maps[f].size(); ++c)
      for (std::size_t i = 0; i < n; ++i) values[(i * m + f) * width + c] = maps[f][c][i];
  data::write_npy(a.out, values, {n, m, width});
  std::vector<std::string> names;
  for (const MapSummary& summary : model.features()) names.push_back(summary.name);
  if (a.output.json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json({{"out", a.out}, {"samples", n}, {"features", names}, {"dimensions", width}}).dump(2));
  else if (!a.output.quiet)
    fmt::print("{}: {} × {} ({}) × {}\n", a.out, base::number_of(n, "sample"), base::number_of(m, "feature"),
               fmt::join(names, ", "), width);
}

}  // namespace

Verb map_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->data);
  std::erase_if(options, [](const Option& option) { return option.name == "target"; });
  options.push_back({.name = "out",
                     .field = &a->out,
                     .meaning = "NumPy file to write: samples × features × numbers of a map",
                     .value_name = "FILE",
                     .required = true});
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  const std::string train =
      "macmi simulate bullseye2d --n 500 --out rings.csv && macmi train --data rings.csv --target y --group "
      "'^(x\\d+)_' --epochs 20 --out rings.maps && ";
  return {
      .name = "map",
      .summary = "Apply learned feature maps to data",
      .details =
          "The data must have the columns that the model was trained on; the target may be absent. The model knows "
          "how\n"
          "columns become features (--group, --id, --time, --type), so nothing of that has to be said again. Features\n"
          "with fewer numbers than the widest map are filled up with NaN, and so are samples in which a feature has no "
          "value.",
      .positional = {{.name = "model", .field = &a->model, .meaning = "Model file of macmi train", .required = true}},
      .options = std::move(options),
      .examples = {train + "macmi map rings.maps --data rings.csv --out rings.npy",
                   train + "macmi map rings.maps --data rings.csv --out rings.npy --json"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
