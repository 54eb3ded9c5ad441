#include <fmt/format.h>

#include "citest/fisher_z.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"

namespace macmi {

std::vector<std::string> method_words() {
  std::vector<std::string> words;
  for (const Method method :
       {Method::knn, Method::fisherz, Method::hsic, Method::hsic_permutation, Method::sdcit, Method::ccit})
    words.emplace_back(text(method));
  return words;
}

const char* text(Method method) {
  switch (method) {
    case Method::knn:
      return "knn";
    case Method::fisherz:
      return "fisherz";
    case Method::hsic:
      return "hsic";
    case Method::hsic_permutation:
      return "hsic-permutation";
    case Method::sdcit:
      return "sdcit";
    case Method::ccit:
      return "ccit";
  }
  return "";
}

void expect_exchangeable(Method method, bool units) {
  if (units && method != Method::knn)
    throw InputError(
        fmt::format("--method {} takes rows for independent of each other, which --unit and --time say they "
                    "are not; --method knn knows units",
                    text(method)));
}

CiResult ci_test_by(Method method, const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                    const TestContext& context) {
  const bool unconditional = method == Method::hsic || method == Method::hsic_permutation;
  if (unconditional && !z.empty())
    throw InputError(fmt::format("--method {} cannot condition on anything: --method sdcit is its conditional sister",
                                 text(method)));
  if (method != Method::knn) expect_exchangeable(method, context.one_series || !context.units.empty());
  switch (method) {
    case Method::knn:
      break;
    case Method::fisherz:
      return citest::fisher_z(x, y, z);
    case Method::hsic:
      return hsic_test(x, y, HsicNull::gamma, options, context);
    case Method::hsic_permutation:
      return hsic_test(x, y, HsicNull::permutation, options, context);
    case Method::sdcit:
      return sdcit_test(x, y, z, options, context);
    case Method::ccit:
      return ccit_test(x, y, z, options, context);
  }
  return ci_test(x, y, z, options, context);
}

}  // namespace macmi
