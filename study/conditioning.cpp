// Level and power of the test against the number of conditioning columns, and what a test costs: what lets the search
// ask every feature given all members.
//   study_conditioning OUT_DIRECTORY [COMMIT [SETS [LARGEST_N]]]
// Measurements are kept in OUT_DIRECTORY/conditioning.unfinished until all are there.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/random.hpp"
#include "ci_cells.hpp"
#include "macmi/select.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

const std::vector<std::size_t> sample_sizes = {500, 1000, 5000};
const std::vector<std::size_t> dimensions = {2, 6, 10, 15};
const std::vector<std::string> families = {"linear", "additive", "post-nonlinear", "products", "spread"};

/// How x and y hang together beyond z.
enum class Link { none, linear, curved };
constexpr std::array links = {Link::none, Link::linear, Link::curved};
constexpr std::array<const char*, 3> link_names = {"level", "power, linear link", "power, curved link"};

/// Shapes of mean 0 and about the same size that columns of z act by, in turn.
double shape(std::size_t which, double z) {
  switch (which % 4) {
    case 0:
      return 1.5 * std::sin(2 * z);
    case 1:
      return 0.7 * (z * z - 1);
    case 2:
      return 1.2 * std::tanh(2 * z);
    default:
      return 1.6 * (std::abs(z) - 0.798);
  }
}

/// The part z adds to x (turn 0) or y (turn 1): mean 0, variance about 1.
double signal(const std::string& family, const std::vector<double>& z, std::size_t turn) {
  double sum = 0;
  const std::size_t d = z.size();
  for (std::size_t c = 0; c < d; ++c) {
    if (family == "additive")
      sum += shape(c + turn, z[c]);
    else if (family == "products")  // no sum of functions of single columns
      sum += z[c] * z[(c + 1) % d];
    else
      sum += z[c];
  }
  return sum / std::sqrt(static_cast<double>(d));
}

/// z is normal, every two columns correlated by 0.2. Half of the variance of x and y is z's, the other half noise.
CiResult test_once(const std::string& family, std::size_t n, std::size_t d, Link link, std::size_t set) {
  base::RandomStream random(
      base::StreamKey(31).with(family).with(n).with(d).with(static_cast<std::uint64_t>(link)).with(set));
  const double strength = (link == Link::curved ? 0.6 : 0.25) * std::sqrt(500.0 / static_cast<double>(n));
  std::vector<double> x(n), y(n), z(n * d), row(d);
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = random.normal();
    for (std::size_t c = 0; c < d; ++c)
      z[i * d + c] = row[c] = std::sqrt(0.2) * shared + std::sqrt(0.8) * random.normal();
    const double own = random.normal(), spread = family == "spread" ? std::exp(0.5 * row[0]) : 1;
    x[i] = signal(family, row, 0) + spread * own;
    y[i] = signal(family, row, 1) + spread * random.normal() +
           strength * (link == Link::curved   ? own * own - 1
                       : link == Link::linear ? own
                                              : 0);
    if (family == "post-nonlinear") x[i] = std::cbrt(x[i]), y[i] = std::exp(y[i] / 2);
  }
  TestOptions options = SelectOptions().test;
  options.threads = 1;
  options.seed = set;
  options.permutations = 256;
  return ci_test(x, y, Variable::rows(z, d, "z"), options);
}

struct Cell {
  std::size_t sets = 0, rejected = 0;
  double milliseconds = 0;
  double rate() const { return static_cast<double>(rejected) / static_cast<double>(sets); }
};

Cell measure(const std::string& family, std::size_t n, std::size_t d, Link link, std::size_t sets) {
  Cell cell{sets, 0, 0};
  std::mutex mutex;
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    const double start = thread_seconds();
    std::size_t rejected = 0;
    for (std::size_t r = begin; r < end; ++r) rejected += test_once(family, n, d, link, r).p_value <= 0.05;
    const std::lock_guard lock(mutex);
    cell.rejected += rejected;
    cell.milliseconds += 1000 * (thread_seconds() - start) / static_cast<double>(sets);
  });
  return cell;
}

int run(const std::string& out, const std::string& commit, std::size_t sets, std::size_t largest_n) {
  run::Ledger kept(out + "/conditioning.unfinished");
  std::string page = fmt::format(
      "# Conditioning on many columns\n\nShare of data sets in which the default test of `macmi select` (256 "
      "permutations, `--stop fast`) at level 0.05 finds x\nand y dependent given z of d columns, and milliseconds of "
      "processor time that a test took. Half of the variance of x\nand y is z's: sums of the columns (linear), of "
      "curves of single columns (additive), of columns behind a monotone\ncurve (post-nonlinear), products of two "
      "columns each (products), or sums while the first column of z spreads the noise of both (spread). Beyond z "
      "nothing (level), a linear link of\n0.25 √(500 / n) or a curved one (the "
      "square, "
      "0.6 √(500 / n)) from the noise of x to y. {} data sets a cell, a\nquarter of them at n = 5000. Commit {}. "
      "Written by `make study` (study/conditioning.cpp).\n\n| data | n | |",
      sets, commit);
  for (const std::size_t d : dimensions) page += fmt::format(" d = {} |", d);
  page += "\n|---|---|---|";
  for (std::size_t i = 0; i < dimensions.size(); ++i) page += "---|";
  page += "\n";
  bool good = true;
  for (const std::string& family : families)
    for (const std::size_t n : sample_sizes)
      for (std::size_t l = 0; l < links.size(); ++l) {
        if (n > largest_n) continue;
        page += fmt::format("| {} | {} | {} |", family, n, link_names[l]);
        for (const std::size_t d : dimensions) {
          const std::size_t here = n >= 5000 ? sets / 4 : sets;
          const std::string text = kept.value(fmt::format("{} {} {} {} {}", family, n, d, l, here), [&] {
            const Cell c = measure(family, n, d, links[l], here);
            return fmt::format("{} {} {}", c.sets, c.rejected, c.milliseconds);
          });
          Cell c;
          std::istringstream(text) >> c.sets >> c.rejected >> c.milliseconds;
          page += fmt::format(" {:.2f} ({:.0f} ms) |", c.rate(), c.milliseconds);
          fmt::print("{} n {} d {} {}: {:.3f}, {:.1f} ms\n", family, n, d, link_names[l], c.rate(), c.milliseconds);
          std::fflush(stdout);
          const double chance = 3 * std::sqrt(0.06 * 0.94 / static_cast<double>(c.sets));
          if (links[l] == Link::none && family != "products" && c.rate() > 0.06 + chance) {
            fmt::print("FAILS: a level of at most 0.06 and what chance adds\n");
            good = false;
          }
          if (links[l] == Link::linear && family == "linear" && c.rate() < 0.8) {
            fmt::print("FAILS: power of at least 0.8 for a linear link\n");
            good = false;
          }
          if (links[l] == Link::curved && (family == "linear" || family == "additive") && c.rate() < 0.8) {
            fmt::print("FAILS: power of at least 0.8 for a curved link where z adds\n");
            good = false;
          }
        }
        page += "\n";
      }
  std::ofstream(out + "/conditioning.md") << page;
  if (good) kept.remove();
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2 || argc > 5) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [SETS [LARGEST_N]]]\n", argv[0]);
    return 2;
  }
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", argc > 3 ? std::stoul(argv[3]) : 100,
                           argc > 4 ? std::stoul(argv[4]) : 5000);
}
