// Every engine gives the same sums as the plain one, bit for bit.
#include <gtest/gtest.h>

#include "base/vector/simd.hpp"
#include "citest/random_problem.hpp"

namespace macmi::citest {
namespace {

using base::RandomStream;
using base::StreamKey;

std::vector<StatisticSum> evaluate(StatisticEngine& engine, const StatisticProblem& problem,
                                   const std::vector<std::uint32_t>& sources) {
  std::vector<StatisticSum> sums(sources.size() / problem.sample.n * problem.ks.size());
  engine.evaluate(sources, sums);
  return sums;
}

struct Case {
  std::size_t n, dx, dy, dz;
  Kind x, y, z;
  int classes;
  std::vector<std::size_t> ks;
  bool closed;
  std::size_t neighbours;
};

Case random_case(RandomStream& random) {
  const auto kind = [&] { return all_kinds[random.below(std::size(all_kinds))]; };
  Case c{8 + random.below(90),    1,  1 + random.below(2),  random.below(4),    kind(), kind(), kind(),
         random.below(2) ? 2 : 5, {}, random.below(2) == 1, 1 + random.below(9)};
  if (random.below(3) == 0) c.dx = 1 + random.below(3);
  c.ks.push_back(1 + random.below(c.n - 1));
  if (random.below(2)) c.ks.push_back(c.ks[0] + 1 + random.below(c.n - c.ks[0]));
  if (c.ks.back() >= c.n) c.ks.pop_back();
  return c;
}

std::string text(const Case& c) {
  return "n " + std::to_string(c.n) + " dims " + std::to_string(c.dx) + std::to_string(c.dy) + std::to_string(c.dz) +
         " kinds " + std::to_string(int(c.x)) + std::to_string(int(c.y)) + std::to_string(int(c.z)) + " classes " +
         std::to_string(c.classes) + " k " + std::to_string(c.ks[0]) + (c.closed ? " closed" : " open");
}

TEST(Engines, LanesEqualPlainOnRandomProblems) {
  for (std::uint64_t t = 0; t < 150; ++t) {
    RandomStream random(StreamKey(17).with(t));
    const Case c = random_case(random);
    SCOPED_TRACE(text(c) + " case " + std::to_string(t));
    const StatisticProblem problem =
        perhaps_with_centres(random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random),
                                            c.ks, c.closed, t % 2 ? narrow_lattice : wide_lattice),
                             t);
    if (problem.only_categories()) continue;
    const auto sources = draw_sources(problem, 70, c.neighbours, t);
    const auto plain = make_plain_engine(problem), lanes = make_lane_engine(problem, 1);
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*lanes, problem, sources));
  }
}

TEST(Engines, SlicesEqualPlainOnRandomProblems) {
  int compared = 0;
  for (std::uint64_t t = 0; t < 200; ++t) {
    RandomStream random(StreamKey(18).with(t));
    Case c = random_case(random);
    if (c.dz == 0) c.dz = 1;
    if (c.x == Kind::categorical) c.x = Kind::rounded;
    c.closed = false;
    SCOPED_TRACE(text(c) + " case " + std::to_string(t));
    const StatisticProblem problem =
        perhaps_with_centres(random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random),
                                            c.ks, c.closed, t % 2 ? narrow_lattice : wide_lattice),
                             t);
    ASSERT_TRUE(slice_engine_fits(problem));
    const auto sources = draw_sources(problem, t % 3 == 0 ? 300 : 70, c.neighbours, t);
    const auto plain = make_plain_engine(problem), slices = make_slice_engine(problem, 1, 1);
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*slices, problem, sources));
    ++compared;
  }
  EXPECT_EQ(compared, 200);
}

TEST(Engines, LabelsEqualPlainOnRandomProblems) {
  for (std::uint64_t t = 0; t < 200; ++t) {
    RandomStream random(StreamKey(19).with(t));
    Case c = random_case(random);
    c.x = Kind::categorical;
    c.dx = 1;
    SCOPED_TRACE(text(c) + " case " + std::to_string(t));
    const StatisticProblem problem =
        perhaps_with_centres(random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random),
                                            c.ks, c.closed, t % 2 ? narrow_lattice : wide_lattice),
                             t);
    ASSERT_EQ(label_engine_fits(problem), !problem.only_categories());
    if (problem.only_categories()) continue;
    const auto sources = draw_sources(problem, t % 16 == 0 ? 530 : 70, c.neighbours, t);
    const auto plain = make_plain_engine(problem), labels = make_label_engine(problem, 1);
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*labels, problem, sources));
  }
}

TEST(Engines, LabelLanesEqualPlainOnRandomProblems) {
  for (std::uint64_t t = 0; t < 200; ++t) {
    RandomStream random(StreamKey(29).with(t));
    Case c = random_case(random);
    c.x = Kind::categorical;
    c.dx = 1;
    if (t % 4 == 3) c.classes = 40;
    SCOPED_TRACE(text(c) + " case " + std::to_string(t));
    const StatisticProblem problem =
        perhaps_with_centres(random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random),
                                            c.ks, c.closed, t % 2 ? narrow_lattice : wide_lattice),
                             t);
    if (problem.only_categories()) continue;
    const auto sources = draw_sources(problem, t % 16 == 0 ? 130 : 70, c.neighbours, t);
    const auto plain = make_plain_engine(problem), labels = make_label_lane_engine(problem, 1);
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*labels, problem, sources));
  }
}

/// Some labels have many samples, some one; more labels than a byte has values; any vectors and threads.
TEST(Engines, LabelLanesEqualPlainWithRareLabels) {
  for (const std::size_t given : {0, 1, 2}) {
    RandomStream random(StreamKey(31).with(given));
    knn::JointSample sample = random_sample(900, Kind::categorical, 1, Kind::continuous, 2,
                                            given == 2 ? Kind::categorical : Kind::continuous, given, 3, random);
    for (std::size_t i = 0; i < sample.n; ++i)
      sample.x.category[i] = static_cast<std::int32_t>(
          random.below(2) ? random.below(2) : std::min<std::size_t>(i, 2 + random.below(given == 1 ? 20 : 600)));
    StatisticProblem problem = random_problem(sample, {5, 40}, given == 2);
    for (std::uint32_t i = 0; i < 900; i += 9) problem.centres.push_back(i);
    const auto sources = draw_sources(problem, 70, 5, given);
    const auto expected = evaluate(*make_plain_engine(problem), problem, sources);
    const auto labels = make_label_lane_engine(problem, 1);
    EXPECT_EQ(evaluate(*labels, problem, sources), expected) << given;
    EXPECT_EQ(evaluate(*labels, problem, sources), expected) << given << ", radii known";
    for (const std::string& target : base::simd_targets()) {
      base::limit_simd(target);
      EXPECT_EQ(evaluate(*make_label_lane_engine(problem, 3), problem, sources), expected) << given << " " << target;
    }
    base::limit_simd("");
  }
}

/// Any sources, rearranging or not; cells of one sample; a constant in the place of a variable.
TEST(Engines, TablesEqualPlainOnRandomProblems) {
  for (std::uint64_t t = 0; t < 150; ++t) {
    RandomStream random(StreamKey(21).with(t));
    const std::size_t n = 8 + random.below(90);
    const int classes = t % 3 == 0 ? 2 : t % 3 == 1 ? 5 : 30;
    knn::JointSample sample =
        random_sample(n, Kind::categorical, 1, Kind::categorical, 1, Kind::categorical, t % 2, classes, random);
    if (t % 10 == 0) sample.x.category.clear();
    if (t % 15 == 0) sample.y.category.clear();
    StatisticProblem problem = random_problem(sample, {3, 5}, false);
    if (t % 4 != 0) problem.psi = FixedPsi::logarithms(n);
    ASSERT_TRUE(problem.only_categories());
    auto sources = draw_sources(problem, 70, 5, t);
    for (std::size_t s = 0; s < n; ++s) sources[s] = static_cast<std::uint32_t>(random.below(n));
    const auto expected = evaluate(*make_plain_engine(problem), problem, sources);
    ASSERT_EQ(evaluate(*make_table_engine(problem, 1), problem, sources), expected) << t;
    ASSERT_EQ(evaluate(*make_table_engine(problem, 3), problem, sources), expected) << t;
  }
}

/// Radii learned before, several batches, threads and vectors of any width change nothing.
// ctest label threads: one thread against several
TEST(Engines, LabelsEqualLanesOnLargerProblemsWithAnyVectorsAndThreads) {
  for (const Kind y : {Kind::continuous, Kind::zero_inflated})
    for (const bool closed : {false, true}) {
      RandomStream random(StreamKey(37).with(static_cast<std::uint64_t>(y)).with(closed ? 1 : 0));
      const StatisticProblem problem = random_problem(
          random_sample(700, Kind::categorical, 1, y, 2, y, 2, closed ? 2 : 4, random), {5, 20, 100}, closed);
      const auto sources = draw_sources(problem, 530, 5, 3);
      const auto few = std::vector<std::uint32_t>(sources.end() - 6 * 700, sources.end());
      const auto expected = evaluate(*make_lane_engine(problem, 1), problem, sources);
      const auto labels = make_label_engine(problem, 1);
      const auto last = evaluate(*labels, problem, few);
      EXPECT_EQ(last, evaluate(*make_plain_engine(problem), problem, few));
      EXPECT_EQ(evaluate(*labels, problem, sources), expected);
      EXPECT_EQ(evaluate(*make_label_engine(problem, 3), problem, sources), expected);
      for (const std::string& target : base::simd_targets()) {
        base::limit_simd(target);
        EXPECT_EQ(evaluate(*make_label_engine(problem, 1), problem, few), last) << target;
      }
      base::limit_simd("");
    }
}

TEST(Engines, TreesEqualPlainOnTheLattice) {
  for (std::uint64_t t = 0; t < 80; ++t) {
    RandomStream random(StreamKey(23).with(t));
    Case c = random_case(random);
    SCOPED_TRACE(text(c));
    const StatisticProblem problem = perhaps_with_centres(
        random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random), c.ks, c.closed), t);
    const auto sources = draw_sources(problem, 3, c.neighbours, t);
    const auto plain = make_plain_engine(problem),
               trees = make_tree_engine(problem, as_joint_sample(problem.sample), 1);
    if (problem.only_categories()) continue;
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*trees, problem, sources));
  }
}

/// Larger than the windows, bytes and boxes of the engine: k above 254, several batches, chunks and blocks.
// ctest label threads: one thread against several
TEST(Engines, LanesEqualTreesOnLargerProblemsWithAnyVectorsAndThreads) {
  struct Large {
    std::size_t dx, dz;
    Kind y;
    bool closed;
    std::int32_t range;
  };
  for (const Large& l :
       {Large{1, 1, Kind::continuous, false, narrow_lattice}, Large{1, 0, Kind::continuous, false, wide_lattice},
        Large{2, 3, Kind::categorical, true, narrow_lattice}, Large{1, 2, Kind::zero_inflated, true, wide_lattice}}) {
    RandomStream random(StreamKey(29).with(l.dx).with(l.dz));
    const StatisticProblem problem =
        random_problem(random_sample(330, Kind::continuous, l.dx, l.y, 1, Kind::continuous, l.dz, 5, random),
                       {5, 20, 300}, l.closed, l.range);
    const auto sources = draw_sources(problem, 140, 5, 3);
    const auto few = std::vector<std::uint32_t>(sources.end() - 6 * 330, sources.end());
    const auto expected = evaluate(*make_lane_engine(problem, 1), problem, sources);
    const auto trees = evaluate(*make_tree_engine(problem, as_joint_sample(problem.sample), 1), problem, few);
    ASSERT_TRUE(std::equal(trees.begin(), trees.end(), expected.end() - static_cast<std::ptrdiff_t>(trees.size())));
    EXPECT_EQ(evaluate(*make_lane_engine(problem, 3), problem, sources), expected);
    // The same permutations in two calls: windows and stored lists carry over and change nothing.
    const auto lanes = make_lane_engine(problem, 1);
    evaluate(*lanes, problem, few);
    EXPECT_EQ(evaluate(*lanes, problem, sources), expected);
    for (const std::string& target : base::simd_targets()) {
      base::limit_simd(target);
      EXPECT_EQ(evaluate(*make_lane_engine(problem, 1), problem, few), trees) << target;
    }
    base::limit_simd("");
  }
}

/// Several batches and blocks, windows learned before, k above 254; z of categories alone, whose boxes are those of y.
// ctest label threads: one thread against several
TEST(Engines, SlicesEqualLanesOnLargerProblemsWithAnyVectorsAndThreads) {
  struct Large {
    std::size_t dx, dz;
    Kind y, z;
    bool closed;
    std::int32_t range;
  };
  for (const Large& l : {Large{1, 1, Kind::continuous, Kind::continuous, false, narrow_lattice},
                         Large{2, 3, Kind::categorical, Kind::continuous, false, narrow_lattice},
                         Large{1, 2, Kind::zero_inflated, Kind::categorical, false, wide_lattice},
                         Large{1, 1, Kind::continuous, Kind::categorical, false, wide_lattice}}) {
    RandomStream random(StreamKey(31).with(l.dx).with(l.dz));
    const StatisticProblem problem = random_problem(
        random_sample(330, Kind::continuous, l.dx, l.y, 1, l.z, l.dz, 5, random), {5, 20, 300}, l.closed, l.range);
    const auto sources = draw_sources(problem, 530, 5, 3);
    const auto few = std::vector<std::uint32_t>(sources.end() - 6 * 330, sources.end());
    const auto expected = evaluate(*make_lane_engine(problem, 1), problem, sources);
    const auto slices = make_slice_engine(problem, 1, 1);
    const auto last = evaluate(*slices, problem, few);
    EXPECT_EQ(last, evaluate(*make_plain_engine(problem), problem, few));
    EXPECT_EQ(evaluate(*slices, problem, sources), expected);
    EXPECT_EQ(evaluate(*make_slice_engine(problem, 3, 1), problem, sources), expected);
    for (const std::string& target : base::simd_targets()) {
      base::limit_simd(target);
      EXPECT_EQ(evaluate(*make_slice_engine(problem, 1, 1), problem, few), last) << target;
    }
    base::limit_simd("");
  }
}

/// What z makes of x stays with its sample: every engine moves x by the same amounts.
TEST(Engines, AgreeWhereXHasATrendAlongZ) {
  for (const std::size_t dx : {1, 2})
    for (const std::int32_t range : {narrow_lattice, wide_lattice}) {
      RandomStream random(StreamKey(33).with(dx).with(range));
      StatisticProblem problem =
          random_problem(random_sample(150, Kind::continuous, dx, Kind::continuous, 1, Kind::continuous, 2, 3, random),
                         {5, 20}, false, range);
      for (std::size_t d = 0; d < dx; ++d) {
        auto& trend = problem.x_trend.emplace_back();
        for (const std::int32_t z : problem.sample.z.columns[d]) trend.push_back(z / 2);
      }
      const auto sources = draw_sources(problem, 70, 5, 4);
      const auto expected = evaluate(*make_plain_engine(problem), problem, sources);
      EXPECT_EQ(evaluate(*make_lane_engine(problem, 1), problem, sources), expected);
      EXPECT_EQ(evaluate(*make_slice_engine(problem, 2, 1), problem, sources), expected);
      problem.x_trend.clear();
      EXPECT_NE(evaluate(*make_plain_engine(problem), problem, sources), expected);
    }
}

}  // namespace
}  // namespace macmi::citest
