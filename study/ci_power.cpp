// Power of the conditional independence test against effect size, for single k and `auto`, beside partial correlation.
//   study_ci_power OUT_DIRECTORY [DATA_SETS]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "base/parallel.hpp"
#include "ci_models.hpp"
#include "macmi/select.hpp"

namespace macmi::study {
namespace {

struct Dependence {
  std::string name;
  Model model;
  std::vector<double> strengths;
};

/// y depends on x only through its product with z.
Sample interaction(std::size_t n, double strength, base::RandomStream& random) {
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(), x = random.normal();
    s.z.push_back(z);
    s.x.push_back(x);
    s.y.push_back(0.5 * z + strength * x * z + random.normal());
  }
  return s;
}

const std::vector<Dependence> dependences = {
    {"linear, nothing given", additive(0, identity, identity, normal_noise), {0.1, 0.2}},
    {"linear", additive(1, identity, identity, normal_noise), {0.1, 0.2, 0.4}},
    {"cosine",
     additive(1, identity, identity, normal_noise, [](double x) { return std::cos(2 * x); }),
     {0.4, 0.8, 1.6}},
    {"interaction with z", interaction, {0.3, 0.6, 1.2}},
};

struct Tester {
  std::string name;
  NeighbourCount k;
  bool linear = false;
};
const std::vector<Tester> methods = {
    {"k = 5", 5}, {"k = 20", 20}, {"k = 0.1 n", 0.1}, {"auto", NeighbourCount::automatic()}, {"Fisher z", 5, true}};
constexpr std::size_t samples = 500, single_ks = 3, automatic = 3;

using Test = std::function<CiResult(const Sample&, const TestOptions&)>;

double power(const Dependence& dependence, double strength, std::size_t data_sets, const Test& test) {
  std::atomic<std::size_t> rejected = 0;
  base::parallel_for(data_sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      base::RandomStream random(base::StreamKey(78).with(dependence.name).with(i));
      const Sample s = dependence.model(samples, strength, random);
      TestOptions options;
      options.permutations = 199;
      options.threads = 1;
      rejected += test(s, options).p_value <= options.alpha;
    }
  });
  return static_cast<double>(rejected) / static_cast<double>(data_sets);
}

Test test_of(const Tester& tester) {
  return [&tester](const Sample& s, TestOptions options) {
    options.k = tester.k;
    return ci_test_by(tester.linear ? Method::fisherz : Method::knn, s.x_variable(), s.y_variable(), s.z_variable(),
                      options);
  };
}

CiResult kernel_test(const Sample& s, const TestOptions& options) {
  return ci_test_by(s.z.empty() ? Method::hsic_permutation : Method::sdcit, s.x_variable(), s.y_variable(),
                    s.z_variable(), options);
}
constexpr std::size_t kernel_share = 4;  // of the data sets: kernel tests take longer

}  // namespace

int run(const std::string& directory, std::size_t data_sets) {
  std::string table = fmt::format(
      "# Power of the conditional independence test\n\nWritten by `make study`: share of {} data sets of {} samples "
      "rejected "
      "at 0.05, 199 permutations. Wanted: `auto` within 0.05 of the best single k, and the sampling error of the "
      "difference. The kernel test beside it is HSIC with permutations where nothing is given, SDCIT otherwise, on "
      "{} data sets.\n\n| dependence | strength | k = 5 | k = 20 | k = 0.1 n | auto | Fisher z | kernel |\n"
      "|---|---|---|---|---|---|---|---|\n",
      data_sets, samples, data_sets / kernel_share);
  // Both are means over the same data sets; their difference has a deviation of at most sqrt(0.25 / sets).
  const double allowed = 0.05 + 2 * std::sqrt(0.25 / static_cast<double>(data_sets)) * std::sqrt(0.5);
  int behind = 0;
  for (const Dependence& dependence : dependences)
    for (const double strength : dependence.strengths) {
      std::vector<double> powers;
      table += fmt::format("| {} | {} |", dependence.name, strength);
      for (const Tester& method : methods) {
        powers.push_back(power(dependence, strength, data_sets, test_of(method)));
        table += fmt::format(" {:.2f} |", powers.back());
      }
      const double by_kernel =
          power(dependence, strength, std::max<std::size_t>(1, data_sets / kernel_share), kernel_test);
      table += fmt::format(" {:.2f} |\n", by_kernel);
      const double best = *std::max_element(powers.begin(), powers.begin() + single_ks);
      const bool fine = powers[automatic] >= best - allowed;
      behind += !fine;
      fmt::print("{} {}: best single k {:.2f}, auto {:.2f}, Fisher z {:.2f}, kernel {:.2f}{}\n", dependence.name,
                 strength, best, powers[automatic], powers.back(), by_kernel, fine ? "" : "  BEHIND");
      std::fflush(stdout);
    }
  std::ofstream(directory + "/ci_power.md") << table;
  return behind == 0 ? 0 : 1;
}

}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200);
}
