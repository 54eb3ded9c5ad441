// macmi estimate: (conditional) mutual information between columns of a file.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "data/table.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Estimator { knn, genie, mine };

struct Arguments {
  std::string data;
  std::vector<std::string> x, y, z;
  Estimator estimator = Estimator::knn;
  std::uint64_t seed = 0;
  EstimateOptions estimate;
  Output output;
};

void print_value(const Arguments& a, double value) {
  const std::string given = a.z.empty() ? "" : fmt::format(" | {}", fmt::join(a.z, ", "));
  fmt::print("I({}; {}{}) = {:.4f} nats\n", fmt::join(a.x, ", "), fmt::join(a.y, ", "), given, value);
}

/// The estimators the paper compares with.
void run_baseline(const Arguments& a, const Variable& x, const Variable& y) {
  const char* name = a.estimator == Estimator::genie ? "genie" : "mine";
  if (!a.z.empty())
    throw InputError(fmt::format("--estimator {} has no conditional form: leave --z out, or take knn", name));
  double value = 0;
  if (a.estimator == Estimator::genie) {
    GenieOptions options;
    options.threads = a.estimate.threads;
    value = genie(x, y, options);
  } else {
    MineOptions options;
    options.seed = a.seed;
    value = mine(x, y, options);
  }
  if (a.output.json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"value", value}, {"n", x.samples()}, {"estimator", name}, {"seed", a.seed}}.dump(2));
  else
    print_value(a, value);
}

std::string_view name(TieRule rule) {
  return rule == TieRule::mixed ? "mixed" : rule == TieRule::counts ? "counts" : "fp";
}

std::string transform_name(EstimateOptions options) {
  for (const Option& option : declare(options))
    if (option.name == "transform") return value_text(option);
  return {};
}

void run(const Arguments& a) {
  const Table table = read_table(a.data);
  const Variable x = select_columns(table, a.x), y = select_columns(table, a.y), z = select_columns(table, a.z);
  if (a.estimator != Estimator::knn) return run_baseline(a, x, y);
  const Estimate e = estimate_cmi(x, y, z, a.estimate);
  if (a.output.json) {
    const nlohmann::ordered_json json = {{"value", e.value},
                                         {"k", e.k},
                                         {"n", e.n},
                                         {"left_out", e.left_out},
                                         {"estimator", name(e.ties)},
                                         {"rule", e.ties_reason},
                                         {"transform", transform_name(a.estimate)}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  print_value(a, e.value);
  if (a.output.quiet) return;
  fmt::print("{} samples, k = {}, transform {}; {}\n", e.n, e.k, transform_name(a.estimate), e.ties_reason);
  if (e.left_out > 0)
    fmt::print("{} samples add nothing: no other sample has their combination of categories\n", e.left_out);
}

}  // namespace

Verb estimate_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = {
      {.name = "data",
       .field = &a->data,
       .meaning = "CSV file with a header, or .npy (columns c0, c1, …)",
       .value_name = "FILE",
       .required = true},
      {.name = "x", .field = &a->x, .meaning = "Column, or columns that make one variable", .required = true},
      {.name = "y", .field = &a->y, .meaning = "Column, or columns that make one variable", .required = true},
      {.name = "z", .field = &a->z, .meaning = "Columns to condition on"},
      {.name = "estimator",
       .field = choice_of(a->estimator, {"knn", "genie", "mine"}),
       .meaning =
           "Nearest neighbours (knn), or one the paper compares with: kernel ensemble (genie), neural network (mine)"},
      {.name = "seed", .field = &a->seed, .meaning = "Seed of the random numbers; only mine draws any"},
  };
  for (Option& option : declare(a->estimate)) options.push_back(std::move(option));
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {
      .name = "estimate",
      .summary = "Estimate mutual information, or conditional mutual information with --z",
      .details =
          "How much x and y tell about each other, in nats, beyond what z tells: 0 when independent.\n"
          "Text columns are categories; several columns make one multi-dimensional variable.",
      .positional = {},
      .options = std::move(options),
      .examples =
          {"macmi simulate bullseye2d --n 2000 --out rings.csv && macmi estimate --data rings.csv --x x1_0,x1_1 --y y",
           "macmi simulate bullseye3d --n 2000 --out spheres.csv && macmi estimate --data spheres.csv --x "
           "x1_0,x1_1,x1_2 --y y --z x3_0,x3_1,x3_2 --k 0.01 --json"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
