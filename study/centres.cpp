// Power of the test with its statistic at some of the samples (--centres) beside all of them, and beside a test that
// has no other samples than those (--rows), which takes as long or longer.
//   study_centres OUT_DIRECTORY [DATA_SETS]
// MACMI_COMMIT names the commit on the page.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/parallel.hpp"
#include "ci_models.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::study {
namespace {

constexpr std::size_t samples = 1000;
constexpr double allowed = 3;  // standard errors of a share

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

double cosine(double x) {
  return std::cos(2 * x);
}

struct Setting {
  std::string name;
  Model model;
  double strength;
};

const std::vector<Setting> settings = {
    {"independent", additive(1, identity, identity, normal_noise), 0},
    {"linear", additive(1, identity, identity, normal_noise), 0.08},
    {"cosine, weak", additive(1, identity, identity, normal_noise, cosine), 0.35},
    {"cosine", additive(1, identity, identity, normal_noise, cosine), 0.5},
    {"interaction with z, weak", interaction, 0.2},
    {"interaction with z", interaction, 0.3},
    {"two classes", binary_y, 0.2},
};

/// `rows`: the test sees the first so many samples.
double rejected(const Setting& setting, std::size_t centres, std::size_t rows, std::size_t data_sets) {
  std::atomic<std::size_t> count = 0;
  base::parallel_for(data_sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      base::RandomStream random(base::StreamKey(91).with(setting.name).with(i));
      Sample s = setting.model(samples, setting.strength, random);
      for (std::vector<double>* column : {&s.x, &s.y, &s.z}) column->resize(std::min(rows, column->size()));
      s.y_classes.resize(std::min(rows, s.y_classes.size()));
      TestOptions options;
      options.permutations = 199;
      options.threads = 1;
      options.seed = i;
      options.centres = centres;
      count += ci_test(s.x_variable(), s.y_variable(), s.z_variable(), options).p_value <= options.alpha;
    }
  });
  return static_cast<double>(count) / static_cast<double>(data_sets);
}

}  // namespace

int run(const std::string& directory, std::size_t data_sets) {
  const char* commit = std::getenv("MACMI_COMMIT");
  const double error = 0.5 / std::sqrt(static_cast<double>(data_sets));
  std::string page = fmt::format(
      "# Fewer centres than samples\n\nWritten by `study_centres` at commit {}. Share of {} data sets of {} samples in "
      "which the test rejects at 0.05, default options but `--centres` and 199 permutations; the same data sets in "
      "every column. In the last column the test has 250 of the samples and nothing else. A share of 0.5 has a "
      "standard "
      "error of {:.2f}. Wanted: centres never find less than as many rows (within {} standard errors).\n\n"
      "| data | all samples | 500 centres | 250 | 125 | 250 rows |\n|---|---|---|---|---|---|\n",
      commit ? commit : "unknown", data_sets, samples, error, allowed);
  bool good = true;
  double lost = 0, of_rows = 0;
  for (const Setting& setting : settings) {
    std::vector<double> shares;
    for (const std::size_t centres : {0, 500, 250, 125})
      shares.push_back(rejected(setting, centres, samples, data_sets));
    shares.push_back(rejected(setting, 0, 250, data_sets));
    page += fmt::format("| {} ({}) | {:.2f} |\n", setting.name, setting.strength, fmt::join(shares, " | "));
    fmt::print("{} {:.3f}\n", setting.name, fmt::join(shares, " "));
    std::fflush(stdout);
    if (setting.strength == 0) {
      for (const double share : shares) good = good && share <= 0.05 + allowed * 0.218 / 0.5 * error;
      continue;
    }
    good = good && shares[2] >= shares[4] - allowed * error;
    lost += (shares[0] - shares[2]) / static_cast<double>(settings.size() - 1);
    of_rows += (shares[0] - shares[4]) / static_cast<double>(settings.size() - 1);
  }
  page += fmt::format(
      "\nA quarter of the samples as centres costs {:.2f} of power on average, a quarter of the rows {:.2f}.\n", lost,
      of_rows);
  std::ofstream(directory + "/centres.md") << page;
  return good ? 0 : 1;
}

}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200);
}
