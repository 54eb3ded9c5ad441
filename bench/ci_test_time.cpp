// CPU time of one conditional independence test: ci_test_time N DX DZ K PERMUTATIONS [repeats]
// K may be auto, or default: all options as `macmi test` has them but one thread, with so many permutations. Prints
// seconds, the statistic and p. MACMI_SIMD limits the vector instructions, as ever; MACMI_CENTRES is --centres, and
// MACMI_LINK what y takes of the first column of x (0).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/vector/simd.hpp"
#include "macmi/ci_test.hpp"

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: ci_test_time N DX DZ K PERMUTATIONS [REPEATS]\n");
    return 2;
  }
  if (const char* simd = std::getenv("MACMI_SIMD")) macmi::base::limit_simd(simd);
  const auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)); };
  const std::size_t n = number(1), dx = number(2), dz = number(3), repeats = argc > 6 ? number(6) : 3;
  macmi::base::RandomStream random(macmi::base::StreamKey(1).with(n).with(dx).with(dz));
  std::vector<double> x(n * dx), y(n), z(n * dz);
  const char* link = std::getenv("MACMI_LINK");
  const double of_x = link ? std::atof(link) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    double mean = 0;
    for (std::size_t d = 0; d < dz; ++d) mean += (z[i * dz + d] = random.normal()) / static_cast<double>(dz);
    for (std::size_t d = 0; d < dx; ++d) x[i * dx + d] = mean + random.normal();
    y[i] = mean + of_x * x[i * dx] + random.normal();
  }
  macmi::TestOptions options;
  options.permutations = number(5);
  if (const std::string k = argv[4]; k != "default") {
    options.k = macmi::NeighbourCount::parse(k);
    options.stop = macmi::StopRule::never;
    options.transform = macmi::Transform::standardize;
    options.no_adjustment = true;  // the permutations that the peer draws
  }
  if (const char* centres = std::getenv("MACMI_CENTRES")) options.centres = std::strtoull(centres, nullptr, 10);
  options.threads = 1;
  if (const char* permute = std::getenv("MACMI_PERMUTE"); permute && std::string(permute) == "auto")
    options.permute = macmi::Permuted::automatic;
  std::vector<double> seconds;
  macmi::CiResult result;
  for (std::size_t r = 0; r < repeats; ++r) {
    const double start = cpu_seconds();
    result = macmi::ci_test(macmi::Variable::rows(x, dx, "x"), y,
                            dz ? macmi::Variable::rows(z, dz, "z") : macmi::Variable(), options);
    seconds.push_back(cpu_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:.4f} s  statistic {:.5f}  p {:.4f}  null {:.5f} ± {:.5f}\n", seconds[repeats / 2], result.statistic,
             result.p_value, result.null_mean, result.null_sd);
}
