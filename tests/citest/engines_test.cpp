// Every engine gives the same sums as the plain one, bit for bit.
#include <gtest/gtest.h>

#include "base/simd.hpp"
#include "citest/random_problem.hpp"

namespace macmi {
namespace {

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
  Case c{8 + random.below(90), 1, 1 + random.below(2), random.below(4), kind(), kind(), kind(), random.below(2) ? 2 : 5,
         {}, random.below(2) == 1, 1 + random.below(9)};
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
  for (std::uint64_t t = 0; t < 300; ++t) {
    RandomStream random(StreamKey(17).with(t));
    const Case c = random_case(random);
    SCOPED_TRACE(text(c) + " case " + std::to_string(t));
    const StatisticProblem problem =
        random_problem(random_sample(c.n, c.x, c.dx, c.y, c.dy, c.z, c.dz, c.classes, random), c.ks, c.closed,
                       t % 2 ? narrow_lattice : wide_lattice);
    const auto sources = draw_sources(problem, 70, c.neighbours, t);
    const auto plain = make_plain_engine(problem), lanes = make_lane_engine(problem, 1);
    ASSERT_EQ(evaluate(*plain, problem, sources), evaluate(*lanes, problem, sources));
  }
}

}  // namespace
}  // namespace macmi
