// How often the test that a search makes finds a dependence where there is none, by the way in which z acts on x and y,
// by the number of columns of z and by the kinds of x and y.
//   study_search_level OUT_DIRECTORY [COMMIT [SETS [FIRST_SET [FAMILY]]]]
// Settings of the test were chosen on data sets from 100,000 on; the page is of data sets from 0 on.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/random.hpp"
#include "binomial.hpp"
#include "ci_cells.hpp"
#include "macmi/select.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

using Columns = std::vector<std::vector<double>>;

/// How z acts. What is asserted of `waves` is less: a regression cannot follow many fast waves in few samples.
enum class Family { linear, close, curves, waves, products, network, spread };
constexpr std::array family_names = {"sums", "close sums", "curves", "fast waves", "products", "networks", "spread"};
constexpr std::array<const char*, 7> family_texts = {"weighted columns of z",
                                                     "the same, and a fifth of the variance is noise",
                                                     "a curve of every column: bowls, steps, slow waves, kinks",
                                                     "sin(5 z) of every column",
                                                     "products of neighbouring columns (of one column: its square)",
                                                     "a random network of eight units over all columns",
                                                     "weighted columns, and the first column spreads both noises"};
const std::vector<std::size_t> widths = {1, 2, 4, 8};
const std::vector<std::size_t> sample_sizes = {300, 1000};

struct Kinds {
  VariableKind x, y;
};
const std::vector<Kinds> kinds = {{VariableKind::number, VariableKind::number},
                                  {VariableKind::number, VariableKind::two_classes},
                                  {VariableKind::count, VariableKind::number},
                                  {VariableKind::sixteen_classes, VariableKind::number},
                                  {VariableKind::four_classes, VariableKind::two_classes},
                                  {VariableKind::block, VariableKind::number}};

double curve(std::size_t which, double z) {
  switch (which % 4) {
    case 0:
      return std::sin(2 * z);
    case 1:
      return z * z - 1;
    case 2:
      return std::tanh(3 * z);
    default:
      return std::abs(z);
  }
}

void standardise(std::vector<double>& column) {
  double sum = 0, squares = 0;
  for (const double v : column) sum += v, squares += v * v;
  const double n = static_cast<double>(column.size()), mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
  for (double& v : column) v = (v - mean) / deviation;
}

/// The effect of z on x (turn 0) or to y (turn 1): mean 0, deviation 1.
std::vector<double> score_of(Family family, const Columns& z, std::size_t turn, base::RandomStream& random) {
  const std::size_t n = z.front().size(), d = z.size();
  std::vector<double> score(n);
  const auto add = [&](auto value) {
    for (std::size_t i = 0; i < n; ++i) score[i] += value(i);
  };
  for (std::size_t c = 0; c < d; ++c) {
    const double weight = (random.uniform() < 0.5 ? -1 : 1) * random.uniform(0.5, 1);
    const std::vector<double>&own = z[c], &next = z[(c + 1) % d];
    if (family == Family::linear || family == Family::close || family == Family::spread)
      add([&](std::size_t i) { return weight * own[i]; });
    if (family == Family::curves) add([&](std::size_t i) { return weight * curve(c + turn, own[i]); });
    if (family == Family::waves) add([&](std::size_t i) { return weight * std::sin(5 * own[i]); });
    if (family == Family::products) add([&](std::size_t i) { return weight * own[i] * next[i]; });
  }
  for (int unit = 0; unit < 8 && family == Family::network; ++unit) {
    const double out = random.normal(), bias = random.normal();
    std::vector<double> in(d);
    for (double& w : in) w = 2 * random.normal() / std::sqrt(static_cast<double>(d));
    add([&](std::size_t i) {
      double activity = bias;
      for (std::size_t c = 0; c < d; ++c) activity += in[c] * z[c][i];
      return out * std::tanh(activity);
    });
  }
  standardise(score);
  return score;
}

double p_of(Family family, std::size_t n, std::size_t d, const Kinds& kind, std::size_t set) {
  base::RandomStream random(base::StreamKey(91)
                                .with(family_names[static_cast<std::size_t>(family)])
                                .with(n)
                                .with(d)
                                .with(static_cast<std::uint64_t>(kind.x))
                                .with(static_cast<std::uint64_t>(kind.y))
                                .with(set));
  Columns z(d, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = random.normal();
    for (std::size_t c = 0; c < d; ++c) z[c][i] = std::sqrt(0.2) * shared + std::sqrt(0.8) * random.normal();
  }
  std::array<experiments::VariableSamples, 2> sides;
  for (const std::size_t turn : {0, 1}) {
    const std::vector<double> score = score_of(family, z, turn, random);
    std::vector<double> noise(n);
    for (std::size_t i = 0; i < n; ++i)
      noise[i] = random.normal() * (family == Family::spread  ? std::exp(0.5 * z[0][i])
                                    : family == Family::close ? 0.5
                                                              : 1);
    sides[turn] = experiments::simulate_variable(turn == 0 ? kind.x : kind.y, score, noise, random);
  }
  Variable given;
  for (const std::vector<double>& column : z) given.add(NumericColumn{column.data(), 1, ""}, n);
  TestOptions options = SelectOptions().test;
  options.smallest_level = 5e-4;  // as for a hundred features
  options.threads = 1;
  options.seed = set;
  return resolved_p(ci_test(sides[0].view("x"), sides[1].view("y"), given, options));
}

struct Cell {
  std::size_t sets = 0, rejected = 0, far_out = 0;
  double milliseconds = 0;
};

Cell measure(Family family, std::size_t n, std::size_t d, const Kinds& kind, std::size_t first, std::size_t sets) {
  Cell cell{sets, 0, 0, 0};
  std::mutex mutex;
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    const double start = thread_seconds();
    std::size_t rejected = 0, far_out = 0;
    for (std::size_t r = begin; r < end; ++r) {
      const double p = p_of(family, n, d, kind, first + r);
      rejected += p <= 0.05;
      far_out += p <= 0.001;
    }
    const std::lock_guard lock(mutex);
    cell.rejected += rejected, cell.far_out += far_out;
    cell.milliseconds += 1000 * (thread_seconds() - start) / static_cast<double>(sets);
  });
  return cell;
}

int run(const std::string& out, const std::string& commit, std::size_t sets, std::size_t first,
        const std::string& only) {
  run::Ledger kept(out + "/search_level.unfinished");
  std::string page = fmt::format(
      "# The level of the test that a search makes\n\nShare of {} data sets in which the test finds x and y dependent "
      "at level 0.05, given z of d columns that acts on both\n(half of their variance unless said otherwise). In "
      "brackets the share with p at most 0.001. Commit {}.\nWritten by `make study` (study/search_level.cpp), which "
      "asserts that no cell but those of fast waves is above 0.06 by more\nthan chance among so many cells allows.\n\n",
      sets, commit);
  for (std::size_t f = 0; f < family_names.size(); ++f)
    page += fmt::format("- {}: {}\n", family_names[f], family_texts[f]);
  page += "\n| z acts by | x, y | n |";
  for (const std::size_t d : widths) page += fmt::format(" d = {} |", d);
  page += "\n|---|---|---|---|---|---|---|\n";
  const std::size_t cells = family_names.size() * widths.size() * sample_sizes.size() * kinds.size();
  bool good = true;
  for (std::size_t f = 0; f < family_names.size(); ++f)
    for (const Kinds& kind : kinds)
      for (const std::size_t n : sample_sizes) {
        if (!only.empty() && only != family_names[f]) continue;
        const std::string sides = fmt::format("{}, {}", experiments::name_of(kind.x), experiments::name_of(kind.y));
        std::string row;
        for (const std::size_t d : widths) {
          const std::string key = fmt::format("{} {} {} {} {} {}", family_names[f], sides, n, d, first, sets);
          const std::string text = kept.value(key, [&] {
            const Cell c = measure(static_cast<Family>(f), n, d, kind, first, sets);
            return fmt::format("{} {} {} {}", c.sets, c.rejected, c.far_out, c.milliseconds);
          });
          Cell c;
          std::istringstream(text) >> c.sets >> c.rejected >> c.far_out >> c.milliseconds;
          const double all = static_cast<double>(c.sets), rate = static_cast<double>(c.rejected) / all;
          row += fmt::format(" {:.2f} ({:.3f}) |", rate, static_cast<double>(c.far_out) / all);
          const bool holds = c.rejected <= binomial_high(c.sets, 0.06, 0.05 / static_cast<double>(cells));
          if (!holds && static_cast<Family>(f) != Family::waves) good = false;
          fmt::print("{:<11} {:<28} n {:>4} d {}: {:.3f} ({:.3f}) {:.1f} ms{}\n", family_names[f], sides, n, d, rate,
                     static_cast<double>(c.far_out) / all, c.milliseconds, holds ? "" : "  TOO OFTEN");
          std::fflush(stdout);
        }
        page += fmt::format("| {} | {} | {} |{}\n", family_names[f], sides, n, row);
      }
  std::ofstream(out + "/search_level.md") << page;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [SETS [FIRST_SET [FAMILY]]]]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", number(3, 200), number(4, 0),
                           argc > 5 ? argv[5] : "");
}
