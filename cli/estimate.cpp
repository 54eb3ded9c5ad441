// macmi estimate: (conditional) mutual information between columns of a file.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "named_data.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Estimator { knn, genie, mine };

struct Arguments {
  NamedData named;
  Estimator estimator = Estimator::knn;
  std::uint64_t seed = 0;
  EstimateOptions estimate;
  Output output;
};

void print_value(const Arguments& a, double value) {
  const std::string given = a.named.z.empty() ? "" : fmt::format(" | {}", fmt::join(a.named.z, ", "));
  fmt::print("I({}; {}{}) = {:.4f} nats\n", fmt::join(a.named.x, ", "), fmt::join(a.named.y, ", "), given, value);
}

/// The estimators the paper compares with.
void run_baseline(const Arguments& a, const Variable& x, const Variable& y) {
  const char* name = a.estimator == Estimator::genie ? "genie" : "mine";
  if (!a.named.z.empty())
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
  const data::NamedVariables v = read_variables(a.named, a.seed, a.estimate.threads);
  if (a.estimator != Estimator::knn) return run_baseline(a, v.x(), v.y());
  const Estimate e = estimate_cmi(v.x(), v.y(), v.z(), a.estimate);
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
    fmt::print("samples that add nothing, as no other sample has their combination of categories: {}\n", e.left_out);
  if (!v.remark().empty()) fmt::print("{}\n", v.remark());
}

}  // namespace

Verb estimate_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->named);
  options.push_back(
      {.name = "estimator",
       .field = choice_of(a->estimator, {"knn", "genie", "mine"}),
       .meaning =
           "Nearest neighbours (knn), or one the paper compares with: kernel ensemble (genie), neural network (mine)"});
  options.push_back(
      {.name = "seed", .field = &a->seed, .meaning = "Seed of the random numbers; only mine and --rows draw any"});
  for (Option& option : declare(a->estimate)) options.push_back(std::move(option));
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {
      .name = "estimate",
      .summary = "Estimate mutual information, or conditional mutual information with --z",
      .details =
          "How much x and y tell about each other, in nats, beyond what z tells: 0 when independent.\n"
          "Columns are read and typed as `select` does it: text and yes/no columns (two values) are categories, --type "
          "says\n"
          "otherwise; several columns make one multi-dimensional variable.",
      .positional = {},
      .options = std::move(options),
      .examples =
          {"macmi simulate bullseye2d --n 2000 --out rings.csv && macmi estimate --data rings.csv --x x1_0,x1_1 --y y",
           "macmi simulate bullseye3d --n 2000 --out spheres.csv && macmi estimate --data spheres.csv --x "
           "x1_0,x1_1,x1_2 --y y --z x3_0,x3_1,x3_2 --k 0.01 --json"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
