// What the second pass says of a result against what is true: effects, their order, p-values, q-values and whether a
// selection is enough. Asserts its thresholds and writes effects.md.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/parallel.hpp"
#include "effect_cases.hpp"
#include "macmi/ci_test.hpp"
#include "predict/information.hpp"
#include "select/second_pass.hpp"
#include "select/sufficiency.hpp"

namespace macmi::study {
namespace {

using base::RandomStream;

constexpr std::size_t samples = 2000;

/// The information that x adds to z.
predict::Information effect(const Variable& x, const Variable& y, const Variable& z) {
  Variable both;
  if (!z.empty()) both.add(z);
  both.add(x);
  predict::PredictiveInformation information(y, 1);
  information.choose_scales(both);
  return predict::mean_difference(information.log_density(both), information.log_density(z));
}

template <class Result>
std::vector<Result> for_each_seed(std::size_t seeds, const std::function<Result(std::uint64_t seed)>& measure) {
  std::vector<Result> results(seeds);
  base::parallel_for(seeds, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) results[s] = measure(s);
  });
  return results;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string closed_forms(std::size_t seeds, bool& good) {
  std::string text = "| data | truth | mean | off | deviation | reported error |\n|---|---|---|---|---|---|\n";
  for (const EffectCase& c : effect_cases()) {
    const auto found = for_each_seed<predict::Information>(seeds, [&](std::uint64_t seed) {
      RandomStream random(base::StreamKey(seed).with("effects").with(c.name));
      const EffectSample s = c.draw(random, samples);
      Variable z;
      for (const Column& column : s.z) z.add(Variable(column));
      return effect(s.variable_x(), s.variable_y(), z);
    });
    std::vector<double> nats, errors;
    for (const predict::Information& f : found) nats.push_back(f.nats), errors.push_back(f.error);
    const double mean = mean_of(nats);
    double squares = 0;
    for (const double v : nats) squares += (v - mean) * (v - mean);
    const bool near = std::abs(mean - c.truth) <= std::max(0.01, 0.15 * c.truth);
    good = good && near;
    text += fmt::format("| {} | {:.3f} | {:.3f} | {:+.1f}%{} | {:.4f} | {:.4f} |\n", c.name, c.truth, mean,
                        c.truth > 0 ? 100 * (mean / c.truth - 1) : 0.0, near ? "" : " TOO FAR",
                        std::sqrt(squares / static_cast<double>(seeds - 1)), mean_of(errors));
  }
  return text;
}

/// A table of eight members with contributions from strong to weak.
struct OrderTable {
  std::string name;
  std::vector<double> truth;
  /// Columns of x, the target last.
  std::function<std::vector<Column>(RandomStream&)> draw;
};

std::vector<Column> draw_members(RandomStream& r, double shared,
                                 const std::function<double(std::size_t member, double x)>& part) {
  std::vector<Column> columns(9, Column(samples));
  for (std::size_t i = 0; i < samples; ++i) {
    const double common = r.normal();
    columns[8][i] = r.normal();
    for (std::size_t m = 0; m < 8; ++m) {
      columns[m][i] = std::sqrt(1 - shared) * r.normal() + std::sqrt(shared) * common;
      columns[8][i] += part(m, columns[m][i]);
    }
  }
  return columns;
}

std::vector<OrderTable> order_tables() {
  const auto weight = [](std::size_t m) { return 1.2 * std::pow(0.75, static_cast<double>(m)); };
  std::vector<OrderTable> tables(3);
  tables[0].name = "linear, independent members";
  tables[1].name = "linear, every two members correlated by 0.5";
  tables[2].name = "lines, squares, sines and magnitudes";
  // Given the others, x has variance 1 − 7 s² / (1 + 6 s) for correlations s.
  const double left = 1 - 7 * 0.25 / (1 + 6 * 0.5);
  for (std::size_t m = 0; m < 8; ++m) {
    tables[0].truth.push_back(0.5 * std::log1p(weight(m) * weight(m)));
    tables[1].truth.push_back(0.5 * std::log1p(left * weight(m) * weight(m)));
  }
  const auto curve = [weight](std::size_t m, double x) {
    const double w = weight(m);
    return m % 4 == 0   ? w * x
           : m % 4 == 1 ? w * (x * x - 1)
           : m % 4 == 2 ? 1.4 * w * std::sin(2 * x)
                        : 1.5 * w * (std::abs(x) - 0.8);
  };
  for (std::size_t m = 0; m < 8; ++m) tables[2].truth.push_back(information_of([&](double x) { return curve(m, x); }));
  tables[0].draw = [weight](RandomStream& r) {
    return draw_members(r, 0, [&](std::size_t m, double x) { return weight(m) * x; });
  };
  tables[1].draw = [weight](RandomStream& r) {
    return draw_members(r, 0.5, [&](std::size_t m, double x) { return weight(m) * x; });
  };
  tables[2].draw = [curve](RandomStream& r) { return draw_members(r, 0, curve); };
  return tables;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& v) {
    std::vector<double> rank(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      for (const double other : v) rank[i] += other < v[i];
    return rank;
  };
  const std::vector<double> p = ranks(a), q = ranks(b);
  double squares = 0;
  const auto n = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) squares += (p[i] - q[i]) * (p[i] - q[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

std::string orders(std::size_t seeds, bool& good) {
  std::string text = "| table | rank correlation, mean | smallest |\n|---|---|---|\n";
  for (const OrderTable& table : order_tables()) {
    const auto found = for_each_seed<double>(seeds, [&](std::uint64_t seed) {
      RandomStream random(base::StreamKey(seed).with("order").with(table.name));
      const std::vector<Column> columns = table.draw(random);
      const Variable y(columns[8]);
      const auto without = [&](std::size_t left_out) {
        Variable members;
        for (std::size_t m = 0; m < 8; ++m)
          if (m != left_out) members.add(Variable(columns[m]));
        return members;
      };
      predict::PredictiveInformation information(y, 1);
      information.choose_scales(without(8));
      const std::vector<double> all = information.log_density(without(8));
      std::vector<double> effects;
      for (std::size_t m = 0; m < 8; ++m)
        effects.push_back(predict::mean_difference(all, information.log_density(without(m))).nats);
      return rank_correlation(effects, table.truth);
    });
    good = good && mean_of(found) > 0.9;
    text += fmt::format("| {} | {:.3f} | {:.3f} |\n", table.name, mean_of(found),
                        *std::min_element(found.begin(), found.end()));
  }
  return text;
}

/// p-values of the second pass where x tells nothing beyond z.
std::string null_p_values(std::size_t sets, bool& good) {
  std::vector<double> p = for_each_seed<double>(sets, [](std::uint64_t seed) {
    RandomStream r(base::StreamKey(seed).with("null"));
    Column x, y, z, w;
    for (std::size_t i = 0; i < 200; ++i) {
      z.push_back(r.normal()), w.push_back(r.normal());
      x.push_back(z.back() + r.normal()), y.push_back(z.back() * z.back() + w.back() + r.normal());
    }
    Variable given(z);
    given.add(Variable(w));
    TestOptions options;
    options.stop = StopRule::never;
    options.z_weight = 2;
    options.permutations = 500;
    options.seed = seed;
    options.threads = 1;
    return resolved_p(ci_test(x, y, given, options));
  });
  // In tables of ten features each, none of which tells anything.
  std::size_t tables = 0, discoveries = 0;
  for (std::size_t first = 0; first + 10 <= p.size(); first += 10, ++tables) {
    const std::vector<double> q = select::adjusted_p_values(
        {p.begin() + static_cast<std::ptrdiff_t>(first), p.begin() + static_cast<std::ptrdiff_t>(first) + 10});
    discoveries += *std::min_element(q.begin(), q.end()) <= 0.05;
  }
  std::sort(p.begin(), p.end());
  const auto n = static_cast<double>(p.size());
  double furthest = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    furthest = std::max({furthest, p[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p[i]});
  const double limit = 1.63 / std::sqrt(n);  // exceeded once in a hundred times
  const double share = static_cast<double>(discoveries) / static_cast<double>(tables);
  const double most = 0.05 + 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(tables));
  good = good && furthest < limit && share <= most;
  return fmt::format(
      "Of {} sets of 200 samples (x follows z, y = z² + w + noise, given z and w; 500 permutations) the distribution "
      "of "
      "p\nis at most {:.4f} away from the uniform one (Kolmogorov-Smirnov; {:.4f} would be too much at 1%). Taken as "
      "{} "
      "tables\nof ten features, {:.3f} of them have a q of at most 0.05, where 0.05 is promised.\n",
      p.size(), furthest, limit, tables, share);
}

Dataset table_of(const std::vector<Column>& columns, const std::vector<std::int32_t>& codes) {
  Dataset data;
  const std::size_t n = columns.front().size();
  data.rows.resize(n);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Feature feature;
    feature.name = c + 1 == columns.size() ? "y" : fmt::format("x{}", c);
    feature.columns.emplace_back();
    feature.columns[0].name = feature.name;
    feature.columns[0].values = columns[c];
    if (c + 1 == columns.size() && !codes.empty()) {
      feature.columns[0].values.clear();
      feature.columns[0].type = ColumnType::categorical;
      feature.columns[0].codes = codes;
      feature.columns[0].labels = {"no", "yes"};
    }
    (c + 1 == columns.size() ? data.target : data.features.emplace_back()) = std::move(feature);
  }
  return data;
}

struct SufficiencyCase {
  std::string name;
  bool classes = false;
  std::function<double(const std::vector<double>& x)> mean;  ///< of the members x0 … x3
};

Sufficiency ask(const Dataset& data, const std::vector<std::string>& members) {
  Selection selection;
  selection.blanket.members = members;
  for (const Feature& f : data.features) selection.blanket.features.emplace_back().name = f.name;
  return select::measure_sufficiency(data, selection, 1);
}

/// Members x0 … x3, three that follow one of them each, and thirteen of noise; x3 is removed by hand.
std::string enough(std::size_t seeds, bool& good) {
  const std::vector<SufficiencyCase> cases{
      {"linear", false, [](const auto& x) { return x[0] + 0.8 * x[1] - 0.6 * x[2] + 0.4 * x[3]; }},
      {"curved", false, [](const auto& x) { return x[0] * x[0] + std::sin(2 * x[1]) + x[2] + 0.6 * std::abs(x[3]); }},
      {"products", false, [](const auto& x) { return x[0] * x[1] + 0.5 * x[2] + 0.6 * x[0] * x[3]; }},
      {"two classes", true, [](const auto& x) { return 1.5 * x[0] + x[1] - x[2] + 1.0 * x[3]; }}};
  std::string text = "| members | a removed one is noticed | a right selection is accused |\n|---|---|---|\n";
  for (const SufficiencyCase& c : cases) {
    const auto found = for_each_seed<std::pair<bool, bool>>(seeds, [&](std::uint64_t seed) {
      RandomStream r(base::StreamKey(seed).with("enough, other samples").with(c.name));
      std::vector<Column> columns(21, Column(800));
      std::vector<std::int32_t> codes;
      for (std::size_t i = 0; i < 800; ++i) {
        for (std::size_t f = 0; f < 20; ++f) columns[f][i] = r.normal();
        for (std::size_t f = 0; f < 3; ++f) columns[4 + f][i] += columns[f][i];
        const double mean = c.mean(std::vector<double>{columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
        columns[20][i] = mean + r.normal();
        if (c.classes) codes.push_back(r.uniform() < logistic(mean));
      }
      const Dataset data = table_of(columns, codes);
      return std::pair(!ask(data, {"x0", "x1", "x2"}).enough, !ask(data, {"x0", "x1", "x2", "x3"}).enough);
    });
    std::size_t noticed = 0, accused = 0;
    for (const auto& [wrong, right] : found) noticed += wrong, accused += right;
    good = good && 10 * noticed >= 9 * seeds && 10 * accused <= seeds;
    text += fmt::format("| {} | {} of {} | {} of {} |\n", c.name, noticed, seeds, accused, seeds);
  }
  return text;
}

/// The whole page, or with `part` (effects, order, null or enough) that part alone, printed and not kept.
int run(const std::string& out, const std::string& commit, std::size_t seeds, std::size_t null_sets,
        const std::string& part) {
  bool good = true;
  const auto wanted = [&](const char* name) { return part.empty() || part == name; };
  std::string page;
  if (part.empty())
    page += fmt::format(
        "# Effects, p-values and sufficiency against the truth\n\nWritten by `make study` (study/effects.cpp), commit "
        "{}. What is measured is explained in [effects.md](../effects.md).\n",
        commit);
  if (wanted("effects"))
    page += fmt::format(
        "\n## Effects\n\nI(x; y | given) in nats, n = {}, {} data sets each (seeds from 0 on; the estimator was chosen "
        "on others). The truth is a closed form\nor an integral. Means must be within 15% or 0.01 nats. `deviation` is "
        "over the data sets, `reported error` the mean of what the table prints.\n\n{}",
        samples, seeds, closed_forms(seeds, good));
  if (wanted("order"))
    page += fmt::format(
        "\n## Order of the members\n\nEight members of known contributions, strong to weak, n = {}, {} data sets: rank "
        "correlation of effects and truth, which\nmust be above 0.9.\n\n{}",
        samples, seeds, orders(seeds, good));
  if (wanted("null")) page += "\n## p-values and q-values on null data\n\n" + null_p_values(null_sets, good);
  if (wanted("enough"))
    page += fmt::format(
        "\n## Is it enough?\n\nFour members, three features that follow one each, 13 of noise, n = 800, {} data sets. "
        "A "
        "member removed by hand must\nbe noticed in nine of ten runs, right selections accused in no more than one of "
        "ten.\n\n{}",
        seeds, enough(seeds, good));
  if (part.empty()) std::ofstream(out + "/effects.md") << page;
  fmt::print("{}", page);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2 || argc > 6) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [SEEDS [NULL_SETS [effects|order|null|enough]]]]\n", argv[0]);
    return 2;
  }
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", argc > 3 ? std::stoul(argv[3]) : 20,
                           argc > 4 ? std::stoul(argv[4]) : 1000, argc > 5 ? argv[5] : "");
}
