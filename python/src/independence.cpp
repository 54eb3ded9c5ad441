// Estimates and tests on samples that Python owns.
#include "independence.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "citest/fisher_z.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/select.hpp"
#include "options.hpp"
#include "samples.hpp"
#include "watch.hpp"

namespace macmi::python {
namespace {

py::dict to_dict(const Estimate& e) {
  py::dict result;
  result["value"] = e.value;
  result["k"] = e.k;
  result["n"] = e.n;
  result["left_out"] = e.left_out;
  result["estimator"] = e.ties == TieRule::mixed ? "mixed" : e.ties == TieRule::counts ? "counts" : "fp";
  result["rule"] = e.ties_reason;
  return result;
}

py::dict to_dict(const CiResult& r, const TestOptions& options) {
  py::dict result;
  result["statistic"] = r.statistic;
  result["effect"] = r.effect;
  result["p_value"] = r.p_value;
  result["permutations"] = r.permutations;
  result["exceedances"] = r.exceedances;
  result["null_mean"] = r.null_mean;
  result["null_sd"] = r.null_sd;
  result["z_score"] = r.z_score;
  result["k"] = r.k;
  result["n"] = r.n;
  result["left_out"] = r.left_out;
  result["alpha"] = options.alpha;
  result["dependent"] = r.p_value <= options.alpha && r.effect >= options.min_cmi;
  result["rule"] = r.rule;
  result["permuted"] = r.permuted;
  result["stopped"] = r.stopped;
  py::list scales;
  for (const CiScale& s : r.scales) {
    py::dict scale;
    scale["k"] = s.k;
    scale["statistic"] = s.statistic;
    scale["effect"] = s.effect;
    scale["null_sd"] = s.null_sd;
    scale["z_score"] = s.z_score;
    scales.append(scale);
  }
  result["scales"] = scales;
  result["notes"] = r.notes;
  result["seed"] = options.seed;
  return result;
}

py::dict estimate(const py::list& x, const py::list& y, const py::list& z, const py::dict& values) {
  EstimateOptions options;
  fill(declare(options), values);
  Held held;
  const Variable vx = variable_of(x, held), vy = variable_of(y, held), vz = variable_of(z, held);
  return to_dict(watched(py::none(), [&](Watch&) { return estimate_cmi(vx, vy, vz, options); }));
}

bool is_linear(const std::string& method) {
  if (method != "knn" && method != "fisherz")
    throw InputError("--method does not accept '" + method + "': give knn, fisherz");
  return method == "fisherz";
}

py::dict test(const py::list& x, const py::list& y, const py::list& z, const std::string& method,
              const py::dict& values, const py::object& progress, const std::vector<std::int32_t>& units) {
  TestOptions options;
  fill(declare(options), values);
  const bool linear = is_linear(method);
  Held held;
  const Variable vx = variable_of(x, held), vy = variable_of(y, held), vz = variable_of(z, held);
  const auto work = [&](Watch& watch) {
    expect_exchangeable(linear ? Method::fisherz : Method::knn, !units.empty());
    if (linear) return citest::fisher_z(vx, vy, vz);
    TestContext context;
    context.units = units;
    context.one_series = !units.empty() && std::count(units.begin(), units.end(), units.front()) ==
                                               static_cast<std::ptrdiff_t>(units.size());
    context.progress = [&](std::size_t done, std::size_t total) { return watch.report(done, total, "permutations"); };
    return ci_test(vx, vy, vz, options, context);
  };
  return to_dict(watched(progress, work), options);
}

py::list tests(const py::list& requests, const std::string& method, const py::dict& values,
               const py::object& progress) {
  TestOptions options;
  fill(declare(options), values);
  const bool linear = is_linear(method);
  Held held;
  std::vector<TestRequest> batch;
  for (const py::handle& request : requests) {
    const auto parts = request.cast<std::vector<py::list>>();
    batch.push_back({variable_of(parts.at(0), held), variable_of(parts.at(1), held), variable_of(parts.at(2), held)});
  }
  const auto work = [&](Watch& watch) {
    const auto report = [&](std::size_t done, std::size_t total) { return watch.report(done, total, "tests"); };
    if (!linear) return ci_tests(batch, options, report);
    std::vector<CiResult> results;
    for (const TestRequest& request : batch) {
      results.push_back(citest::fisher_z(request.x, request.y, request.z));
      if (!report(results.size(), batch.size())) throw Cancelled();
    }
    return results;
  };
  py::list all;
  for (const CiResult& result : watched(progress, work)) all.append(to_dict(result, options));
  return all;
}

}  // namespace

void bind_independence(py::module_& module) {
  module.def("estimate", &estimate, py::arg("x"), py::arg("y"), py::arg("z"), py::arg("options"));
  module.def("ci_test", &test, py::arg("x"), py::arg("y"), py::arg("z"), py::arg("method"), py::arg("options"),
             py::arg("progress"), py::arg("units") = std::vector<std::int32_t>());
  module.def("ci_tests", &tests, py::arg("requests"), py::arg("method"), py::arg("options"), py::arg("progress"));
}

}  // namespace macmi::python
