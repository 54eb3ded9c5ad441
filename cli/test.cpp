// macmi test: conditional independence of columns of a file.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "macmi/ci_test.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "named_data.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  NamedData named;
  Method method = Method::knn;
  TestOptions test;
  Output output;
};

std::string transform_name(TestOptions options) {
  for (const Option& option : declare(options))
    if (option.name == "transform") return value_text(option);
  return {};
}

nlohmann::ordered_json json_of(const CiResult& r, const Arguments& a) {
  nlohmann::ordered_json json = {{"x", a.named.x},
                                 {"y", a.named.y},
                                 {"z", a.named.z},
                                 {"statistic", r.statistic},
                                 {"effect", r.effect},
                                 {"p_value", r.p_value},
                                 {"permutations", r.permutations},
                                 {"exceedances", r.exceedances},
                                 {"null_mean", r.null_mean},
                                 {"null_sd", r.null_sd},
                                 {"z_score", r.z_score},
                                 {"k", r.k},
                                 {"n", r.n},
                                 {"left_out", r.left_out},
                                 {"alpha", a.test.alpha},
                                 {"dependent", r.p_value <= a.test.alpha && r.effect >= a.test.min_cmi},
                                 {"rule", r.rule},
                                 {"transform", transform_name(a.test)},
                                 {"permuted", r.permuted},
                                 {"stopped", r.stopped}};
  json["scales"] = nlohmann::ordered_json::array();
  for (const CiScale& s : r.scales)
    json["scales"].push_back(
        {{"k", s.k}, {"statistic", s.statistic}, {"effect", s.effect}, {"null_sd", s.null_sd}, {"z_score", s.z_score}});
  json["seed"] = a.test.seed;
  json["notes"] = r.notes;
  return json;
}

/// The name of the statistic of a test without neighbours.
std::string statistic_text(const CiResult& r, Method method) {
  if (method == Method::fisherz) return fmt::format("{:.4f} nats", r.statistic);
  if (method == Method::ccit) return fmt::format("trees that see x are right in {:.2f}% more cases", 100 * r.statistic);
  std::string text =
      fmt::format("statistic {:.4g}, {:.2f} standard deviations above its null's mean", r.statistic, r.z_score);
  if (r.permutations) text += fmt::format("; {} of {} values of the null reached it", r.exceedances, r.permutations);
  return text;
}

void print_table(const CiResult& r, const Arguments& a) {
  const bool dependent = r.p_value <= a.test.alpha && r.effect >= a.test.min_cmi;
  const std::string given = a.named.z.empty() ? "" : fmt::format(" given {}", fmt::join(a.named.z, ", "));
  fmt::print("{} and {} are {}{}{} (p = {:.4g}, alpha = {:g})\n", fmt::join(a.named.x, ", "),
             fmt::join(a.named.y, ", "), dependent ? "dependent" : "independent", given,
             dependent ? "" : ", as far as these samples tell", r.p_value, a.test.alpha);
  if (a.output.quiet) return;
  if (r.scales.empty()) {
    fmt::print("{} samples, {}: {}\n", r.n, r.rule, statistic_text(r, a.method));
    for (const std::string& note : r.notes) fmt::print("note: {}\n", note);
    return;
  }
  fmt::print("\n  {:>6}  {:>10}  {:>10}  {:>10}  {:>8}\n", "k", "nats", "effect", "null sd", "z");
  for (const CiScale& s : r.scales)
    fmt::print("  {:>6}  {:>10.4f}  {:>10.4f}  {:>10.4f}  {:>8.2f}{}\n",
               s.k == r.n ? "all"
               : s.k == 0 ? "table"
                          : fmt::to_string(s.k),
               s.statistic, s.effect, s.null_sd, s.z_score, r.scales.size() > 1 && s.k == r.k ? "  <- largest z" : "");
  fmt::print("\n{} samples, {} rule, transform {}; {} of {} permutations of {} reached the observed value; {}\n", r.n,
             r.rule, transform_name(a.test), r.exceedances, r.permutations, r.permuted, r.stopped);
  for (const std::string& note : r.notes) fmt::print("note: {}\n", note);
}

void run(Arguments a) {
  const data::NamedVariables v = read_variables(a.named, a.test.seed, a.test.threads);
  a.test.transform = used_transform(v.x(), v.y(), v.z(), a.test);
  TestContext context;
  context.units = v.units();
  context.one_series = v.one_series();
  CiResult result = ci_test_by(a.method, v.x(), v.y(), v.z(), a.test, context);
  if (!v.remark().empty()) result.notes.push_back(v.remark());
  if (a.output.json)
    fmt::print("{}\n", json_of(result, a).dump(2));
  else
    print_table(result, a);
}

}  // namespace

Verb test_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->named);
  options.push_back(
      {.name = "method",
       .field = choice_of(a->method, method_words()),
       .meaning =
           "The test: k nearest neighbours and local permutations (knn), partial correlation (fisherz), or one the "
           "paper compares with: kernels (hsic without --z, sdcit), boosted trees (ccit)"});
  for (Option& option : declare(a->test)) options.push_back(std::move(option));
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {
      .name = "test",
      .summary = "Test whether x and y are independent, given z with --z",
      .details =
          "Compares the k-nearest-neighbour (conditional) mutual information with its values after exchanging\n"
          "x between samples that are near in z. No assumption on the form of dependence. Columns are read and typed "
          "as\n"
          "`select` does it: two values make a yes/no column, a class; --type says otherwise.",
      .positional = {},
      .options = std::move(options),
      .examples =
          {"macmi simulate bullseye2d --n 1000 --out rings.csv && macmi test --data rings.csv --x x1_0,x1_1 --y y",
           "macmi simulate bullseye3d --n 1000 --out spheres.csv && macmi test --data spheres.csv --group "
           "'^(x\\d+)_' --x x1 --y y --z x3 --json"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
