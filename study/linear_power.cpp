// Power of the wide look alone and of the whole test beside the likelihood-ratio test of the true model, where all is
// linear and the noise normal: what the looks at neighbourhoods cost those who would have known better.
//   study_linear_power OUT_DIRECTORY [DATA_SETS]
// MACMI_COMMIT names the commit on the page.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/f_distribution.hpp"
#include "base/linear_algebra.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "citest/test_folds.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::study {
namespace {

constexpr std::size_t samples = 300;
constexpr double aim = 0.7, look_loss = 0.05, whole_loss = 0.25;

/// x of so many columns, or of so many classes where `classes`; y and z of so many columns.
struct LinearCell {
  bool classes;
  int x, y, z;
  std::string name() const {
    return fmt::format("{} | {} | {}", classes ? fmt::format("{} classes", x) : columns(x), columns(y), columns(z));
  }
  static std::string columns(int count) {
    return count == 0 ? "nothing" : count == 1 ? "a number" : fmt::format("{} numbers", count);
  }
};

struct LinearSample {
  Eigen::MatrixXd x, y, z;  ///< x: zeros and ones for every class but the first
  std::vector<std::int32_t> label;
};

/// x and y follow the mean of z. Column d of y takes `strength` times column d of x, or an effect of the class of x.
LinearSample simulate(const LinearCell& cell, double strength, base::RandomStream& random) {
  LinearSample s;
  const int own = cell.classes ? cell.x - 1 : cell.x;
  s.x.setZero(samples, own), s.y.setZero(samples, cell.y), s.z.setZero(samples, cell.z);
  for (Eigen::Index i = 0; i < s.x.rows(); ++i) {
    double given = 0;
    for (int d = 0; d < cell.z; ++d) given += (s.z(i, d) = random.normal()) / std::sqrt(double(cell.z));
    std::vector<double> effect(static_cast<std::size_t>(cell.y));
    if (cell.classes) {
      const double place = 0.5 * std::erfc(-(0.6 * given + 0.8 * random.normal()) / std::sqrt(2.0));
      const auto label = std::min(cell.x - 1, static_cast<int>(place * cell.x));
      s.label.push_back(label);
      if (label > 0) s.x(i, label - 1) = 1;
      for (int d = 0; d < cell.y; ++d) effect[static_cast<std::size_t>(d)] = 1.4 * std::cos(2.0 * label + d);
    } else {
      for (int d = 0; d < cell.x; ++d) {
        s.x(i, d) = 0.7 * given + random.normal();
        effect[static_cast<std::size_t>(d % cell.y)] += s.x(i, d);
      }
    }
    for (int d = 0; d < cell.y; ++d)
      s.y(i, d) = 0.7 * given + strength * effect[static_cast<std::size_t>(d)] + random.normal();
  }
  return s;
}

/// Λ = Π (1 - ρ²) over the canonical correlations of what 1 and z leave of x and y, by Rao's F: exact where x or y has
/// one or two columns, else off by less than chance can tell here (Rao 1951).
double likelihood_ratio_p(const LinearSample& s) {
  Eigen::MatrixXd given(s.z.rows(), s.z.cols() + 1);
  given << Eigen::VectorXd::Ones(s.z.rows()), s.z;
  const Eigen::MatrixXd basis = base::orthonormal_basis(given, 1e-9);
  const Eigen::VectorXd rho =
      base::singular_values(base::transposed_product(base::orthonormal_basis(s.x - base::projected(basis, s.x), 1e-9),
                                                     base::orthonormal_basis(s.y - base::projected(basis, s.y), 1e-9)));
  double log_lambda = 0;
  for (Eigen::Index i = 0; i < rho.size(); ++i) log_lambda += std::log1p(-rho(i) * rho(i));
  const double p = double(s.x.cols()), q = double(s.y.cols()), left = double(s.z.rows() - s.z.cols() - 1);
  const double power = p * p + q * q > 5 ? std::sqrt((p * p * q * q - 4) / (p * p + q * q - 5)) : 1;
  const double second = (left - (p + q + 1) / 2) * power - p * q / 2 + 1;
  return base::f_upper_tail(std::expm1(-log_lambda / power) * second / (p * q), p * q, second);
}

Variable rows(const Eigen::MatrixXd& m, std::vector<double>& storage, const char* name) {
  if (m.cols() == 0) return {};
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index d = 0; d < m.cols(); ++d) storage.push_back(m(i, d));
  return Variable::rows(storage, static_cast<std::size_t>(m.cols()), name);
}

struct PValues {
  double ratio, look, whole;
};

/// The rank of the residual correlation or of Pillai's trace among those of the permutations that the test draws.
double look_p(const Variable& x, const Variable& y, const Variable& z, TestOptions options) {
  options.transform = used_transform(x, y, z, options);
  const TestContext context;
  const citest::TestFolds folds(x, y, z, options, context);
  const bool two_sided = folds.wide().look == citest::WideLook::correlation;
  const auto size = [=](double v) { return two_sided ? std::abs(v) : v; };
  const double observed = size(folds.mean([](citest::Fold& f) { return f.observed_correlation(); }).front());
  const std::vector<double> permuted = folds.mean_permuted(
      1, [&](citest::Fold& f) { return f.permuted_correlations(static_cast<std::size_t>(options.permutations)); });
  const auto reached = std::count_if(permuted.begin(), permuted.end(), [&](double v) { return size(v) >= observed; });
  return double(1 + reached) / double(1 + permuted.size());
}

PValues p_values(const LinearSample& s, std::uint64_t seed) {
  TestOptions options;
  options.permutations = 199;
  options.threads = 1;
  options.seed = seed;
  std::vector<double> x, y, z;
  const Variable vx = s.label.empty() ? rows(s.x, x, "x") : Variable::categories(s.label, "x");
  const Variable vy = rows(s.y, y, "y"), vz = rows(s.z, z, "z");
  return {likelihood_ratio_p(s), look_p(vx, vy, vz, options), ci_test(vx, vy, vz, options).p_value};
}

/// Shares of data sets rejected at 0.05, each by another test.
struct Shares {
  double ratio = 0, look = 0, whole = 0;
};

LinearSample simulate(const LinearCell& cell, double strength, const char* stream, std::size_t set) {
  base::RandomStream random(base::StreamKey(25).with(stream).with(cell.name()).with(set));
  return simulate(cell, strength, random);
}

Shares rejected(const LinearCell& cell, double strength, const char* stream, std::size_t sets) {
  std::atomic<std::size_t> ratio = 0, look = 0, whole = 0;
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t set = begin; set < end; ++set) {
      const PValues p = p_values(simulate(cell, strength, stream, set), set);
      ratio += p.ratio <= 0.05, look += p.look <= 0.05, whole += p.whole <= 0.05;
    }
  });
  const auto share = [&](std::size_t count) { return double(count) / double(sets); };
  return {share(ratio), share(look), share(whole)};
}

/// The strength at which the likelihood-ratio test finds the share `aim` of other data sets.
double strength_for(const LinearCell& cell) {
  constexpr std::size_t sets = 300;
  double low = 0, high = 1;
  for (int step = 0; step < 10; ++step) {
    const double middle = (low + high) / 2;
    double found = 0;
    for (std::size_t set = 0; set < sets; ++set)
      found += likelihood_ratio_p(simulate(cell, middle, "strength", set)) <= 0.05;
    (found < aim * sets ? low : high) = middle;
  }
  return high;
}

int run(const std::string& directory, std::size_t sets) {
  const char* commit = std::getenv("MACMI_COMMIT");
  const double error = std::sqrt(0.05 * 0.95 / double(sets));
  std::string page = fmt::format(
      "# Power where all is linear\n\nWritten by `study_linear_power` at commit {}. Share of {} data sets of {} "
      "samples "
      "rejected at 0.05: by the likelihood-ratio test of the true model (Wilks' lambda, by Rao's F), by the wide look "
      "alone (a residual correlation or Pillai's trace, ranked among 199 permutations) and by the whole test with its "
      "defaults and 199 permutations. x and y follow the mean of z, and y follows x, all linearly with normal noise; "
      "each class has a mean of y. The strength is such that the likelihood-ratio test finds {} of other data sets. "
      "Wanted: the look finds at most {} less than the likelihood-ratio test, the whole test at most {} less, both in "
      "the mean of the cells; levels within four standard errors of 0.05 (below {:.3f}).\n\n"
      "| x | y | given | level, likelihood ratio | look | whole test | power, likelihood ratio | look | whole test |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      commit ? commit : "unknown", sets, samples, aim, look_loss, whole_loss, 0.05 + 4 * error);
  bool good = true;
  double cells = 0;
  Shares sum;
  for (const auto& [classes, x, y] : {std::tuple(false, 1, 1), std::tuple(false, 3, 1), std::tuple(false, 3, 3),
                                      std::tuple(true, 4, 1), std::tuple(true, 12, 1), std::tuple(true, 4, 3)})
    for (const int z : {0, 1, 3}) {
      const LinearCell cell{classes, x, y, z};
      const Shares level = rejected(cell, 0, "level", sets), power = rejected(cell, strength_for(cell), "power", sets);
      const std::string line =
          fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", cell.name(), level.ratio,
                      level.look, level.whole, power.ratio, power.look, power.whole);
      fmt::print("{}", line);
      std::fflush(stdout);
      page += line;
      sum.ratio += power.ratio, sum.look += power.look, sum.whole += power.whole, ++cells;
      good = good && std::max(level.look, level.whole) <= 0.05 + 4 * error;
    }
  const double look_lost = (sum.ratio - sum.look) / cells, whole_lost = (sum.ratio - sum.whole) / cells;
  page += fmt::format("\nThe look finds {:.3f} less on average, the whole test {:.3f}.\n", look_lost, whole_lost);
  std::ofstream(directory + "/linear_power.md") << page;
  return good && look_lost <= look_loss && whole_lost <= whole_loss ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200);
}
