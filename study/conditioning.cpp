// How many conditioning columns a k-NN test bears: power and false alarms of the shrink pass's test against the
// dimension of z. The limit that macmi::power_limit returns is read off the table this study writes.
//   study_conditioning OUT_DIRECTORY
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "macmi/select.hpp"

namespace macmi {
namespace {

constexpr std::size_t repetitions = 24;
const std::vector<std::size_t> sample_sizes = {300, 1000, 3000};
const std::vector<std::size_t> dimensions = {1, 2, 3, 4, 6, 8, 12};

/// x and y share half of their variance with the mean of z (d independent normals); beyond it their correlation is rho.
CiResult test_once(std::size_t n, std::size_t d, double rho, std::size_t repetition) {
  RandomStream random(StreamKey(31).with(n).with(d).with(rho > 0).with(repetition));
  std::vector<double> x(n), y(n), z(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    double shared = 0;
    for (std::size_t c = 0; c < d; ++c) shared += (z[i * d + c] = random.normal());
    const double own = random.normal();
    x[i] = shared / std::sqrt(static_cast<double>(d)) + own;
    y[i] = shared / std::sqrt(static_cast<double>(d)) + rho * own + std::sqrt(1 - rho * rho) * random.normal();
  }
  TestOptions options = SelectOptions().test;
  options.permutations = 256;
  options.threads = 1;
  options.seed = repetition;
  return ci_test(x, y, Variable::rows(z, d, "z"), options);
}

/// The share of data sets where the test at 0.05 says "dependent".
double rejections(std::size_t n, std::size_t d, double rho) {
  std::vector<int> rejected(repetitions);
  parallel_for(repetitions, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) rejected[r] = test_once(n, d, rho, r).p_value <= 0.05;
  });
  double sum = 0;
  for (const int r : rejected) sum += r;
  return sum / static_cast<double>(repetitions);
}

int run(const std::string& out) {
  std::string page =
      "# Conditioning dimension\n\nShare of data sets in which the default test of `macmi select` (k auto, z-weight 2, "
      "256 permutations) at level 0.05\n"
      "finds x and y dependent given z of d columns: with partial correlation 0.5 beyond z (power), and with none "
      "(false\n"
      "alarms). x and y share half of their variance with the mean of z. " +
      fmt::format(
          "{} data sets per cell. The shrink pass re-tests up to the\nlimit. Written by `make study` "
          "(study/conditioning.cpp).\n\n| n | limit | |",
          repetitions);
  for (const std::size_t d : dimensions) page += fmt::format(" d = {} |", d);
  page += "\n|---|---|---|";
  for (std::size_t i = 0; i < dimensions.size(); ++i) page += "---|";
  page += "\n";
  bool good = true;
  for (const std::size_t n : sample_sizes) {
    const std::size_t limit = power_limit(Method::knn, n);
    std::string power = fmt::format("| {} | {} | power |", n, limit), alarms = "| | | false alarms |";
    for (const std::size_t d : dimensions) {
      const double found = rejections(n, d, 0.5), false_alarms = rejections(n, d, 0);
      power += fmt::format(" {:.2f} |", found);
      alarms += fmt::format(" {:.2f} |", false_alarms);
      fmt::print("n {} d {}: power {:.2f}, false alarms {:.2f}\n", n, d, found, false_alarms);
      std::fflush(stdout);
      if (d <= limit && found < 0.5) {
        fmt::print("FAILS: power at least 0.5 within the limit of {} columns\n", limit);
        good = false;
      }
    }
    page += power + "\n" + alarms + "\n";
  }
  std::ofstream(out + "/conditioning.md") << page;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY\n", argv[0]);
    return 2;
  }
  return macmi::run(argv[1]);
}
