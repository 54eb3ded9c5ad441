// The fixpoint against a plain one that asks everybody at every step, and what it says of false discoveries, stand-ins
// and numbers asked for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/random.hpp"
#include "blanket/decision.hpp"
#include "blanket/scripted_test.hpp"
#include "citest/fisher_z.hpp"
#include "macmi/blanket.hpp"
#include "macmi/error.hpp"

namespace macmi::blanket {
namespace {

using testing::ScriptedTest;
using Names = std::vector<std::string>;
using Column = std::vector<double>;

Names numbered(std::size_t count) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("x{:03}", i));
  return names;
}

/// Partial correlations of columns with a target.
class LinearTest : public TargetCiTest {
 public:
  LinearTest(std::vector<Column> features, Column target) : features_(std::move(features)), target_(std::move(target)) {
    names_ = numbered(features_.size());
  }
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    Variable z;
    for (const std::size_t g : given) z.add(view(features_[g], names_[g]));
    return citest::fisher_z(view(features_[x], names_[x]), view(target_, "y"), z);
  }

 private:
  static Variable view(const Column& column, const std::string& name) { return Variable(std::span(column), name); }
  std::vector<Column> features_;
  Column target_;
  Names names_;
};

/// The same set by asking every feature at every step; nothing where it went in a circle.
std::optional<Names> plain_fixpoint(const TargetCiTest& test, std::set<std::size_t> members, double q, double alpha) {
  const auto names = test.features();
  std::set<std::set<std::size_t>> seen{members};
  for (;;) {
    std::vector<double> p;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::vector<std::size_t> given(members.begin(), members.end());
      std::erase(given, i);
      p.push_back(test.test(i, given).p_value);
    }
    std::set<std::size_t> kept;
    for (const std::size_t i : benjamini_hochberg(p, p.size(), q))
      if (p[i] <= alpha) kept.insert(i);
    if (kept == members) break;
    std::optional<std::size_t> worst, best;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (members.count(i) && !kept.count(i) && (!worst || p[i] > p[*worst])) worst = i;
      if (!members.count(i) && kept.count(i) && (!best || p[i] < p[*best])) best = i;
    }
    best ? (members.insert(*best), std::size_t{0}) : members.erase(*worst);
    if (!seen.insert(members).second) return std::nullopt;
  }
  Names found;
  for (const std::size_t i : members) found.push_back(names[i]);
  return found;
}

struct LinearModel {
  std::vector<Column> features;
  Column target;
};

/// Chains and colliders: a third of the features are causes, effects and co-parents of the target, the rest is noise.
LinearModel linear_model(std::size_t features, std::size_t n, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("linear model"));
  LinearModel model{std::vector<Column>(features, Column(n)), Column(n)};
  for (std::size_t i = 0; i < n; ++i) {
    for (Column& column : model.features) column[i] = random.normal();
    auto& x = model.features;
    x[1][i] += x[0][i];                                           // 0 → 1 → y: 0 is redundant given 1
    model.target[i] = x[1][i] - 0.6 * x[2][i] + random.normal();  // causes 1, 2
    x[3][i] += 0.8 * model.target[i] + 0.7 * x[4][i];             // effect 3, co-parent 4
    x[5][i] += x[3][i];                                           // 3 → 5: redundant given 3
  }
  return model;
}

TEST(Fixpoint, EndsWhereAskingEverybodyAlwaysEnds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LinearModel model = linear_model(20 + seed, 300, seed);
    const LinearTest test(model.features, model.target);
    const Blanket found = find_blanket(test, {.threads = 1});
    std::set<std::size_t> members;
    for (const std::string& name : found.members) members.insert(std::stoul(name.substr(1)));
    EXPECT_EQ(plain_fixpoint(test, members, 0.05, 0.05), found.members) << "not a fixpoint, seed " << seed;
    EXPECT_EQ(plain_fixpoint(test, {}, 0.05, 0.05), found.members) << "not the one from nothing, seed " << seed;
    for (const FeatureVerdict& f : found.features)
      EXPECT_TRUE(f.role == Role::excluded || f.deciding->result.p_value <= found.joint_level) << f.name;
  }
}

/// Scripted answers lead anywhere, also in circles; the search ends, at a fixpoint or with a word about the circle.
TEST(Fixpoint, EndsWhateverTheAnswers) {
  std::size_t circles = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const ScriptedTest test(numbered(4 + seed % 9), seed, 0.05 + 0.02 * static_cast<double>(seed % 7));
    const Blanket found = find_blanket(test, {.threads = 1});
    std::set<std::size_t> members;
    for (const std::string& name : found.members) members.insert(std::stoul(name.substr(1)));
    if (found.notes.empty())
      EXPECT_EQ(plain_fixpoint(test, members, 0.05, 0.05), found.members) << seed;
    else
      ++circles;
  }
  EXPECT_GT(circles, 0u);
  EXPECT_LT(circles, 150u);
}

/// 300 features of noise and no cause: with every test at 0.05 dozens come in. Benjamini-Hochberg at 0.05 lets one in
/// about one of twenty tables; of ten tables three or more have a probability of 0.012.
TEST(Fixpoint, NoiseStaysOutHoweverManyColumns) {
  std::size_t tables = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("noise"));
    std::vector<Column> features(300, Column(100));
    Column target(100);
    for (Column& column : features)
      for (double& v : column) v = random.normal();
    for (double& v : target) v = random.normal();
    tables += !find_blanket(LinearTest(features, target), {.threads = 1}).members.empty();
  }
  EXPECT_LE(tables, 2u);
}

TEST(Fixpoint, AskedAgainOnlyWhatMatters) {
  const LinearModel model = linear_model(200, 500, 1);
  const Blanket found = find_blanket(LinearTest(model.features, model.target), {.threads = 1});
  EXPECT_EQ(found.members, (Names{"x001", "x002", "x003", "x004"}));
  EXPECT_LT(found.tests, 800u);  // a screen and two or three sweeps of 200, where every change would cost a sweep
}

/// A child tells little while its other parents are unknown: among 30 features its p of 0.02 is not enough. The
/// co-parent is certain given the child, and the child given the co-parent. Both are found only if nobody leaves before
/// all join.
TEST(Fixpoint, AChildStaysUntilItsOtherParentsHaveJoined) {
  class Child : public TargetCiTest {
   public:
    std::span<const std::string> features() const override { return names_; }
    CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
      const auto holds = [&](std::size_t f) { return std::count(given.begin(), given.end(), f) != 0; };
      CiResult r;
      r.effect = 1;
      r.p_value = 0.7;
      if (x == 0) r.p_value = 1e-9;  // a parent
      if (x == 1) r.p_value = given.empty() || holds(2) ? 1e-6 : 0.02;
      if (x == 2) r.p_value = holds(1) ? 1e-6 : 0.7;
      return r;
    }

   private:
    Names names_ = numbered(30);
  };
  EXPECT_EQ(find_blanket(Child(), {.threads = 1}).members, (Names{"x000", "x001", "x002"}));
}

TEST(Fixpoint, RolesAreThoseOfTheGraph) {
  const LinearModel model = linear_model(12, 1000, 3);
  const Blanket found = find_blanket(LinearTest(model.features, model.target), {.threads = 1});
  for (const FeatureVerdict& f : found.features) {
    const bool adjacent = f.name == "x001" || f.name == "x002" || f.name == "x003";
    EXPECT_EQ(f.role, adjacent ? Role::adjacent : f.name == "x004" ? Role::co_parent : Role::excluded) << f.name;
  }
}

/// Three readings of one cause that correlate at 0.99, and a poor one: of the good ones each makes the others
/// superfluous. What a second good reading adds has a partial correlation of 0.05, which 200 samples do not show.
TEST(Fixpoint, StandInsAreListedWithTheMember) {
  base::RandomStream random(base::StreamKey(5).with("copies"));
  std::vector<Column> features(8, Column(200));
  Column target(200);
  for (std::size_t i = 0; i < 200; ++i) {
    for (Column& column : features) column[i] = random.normal();
    const double cause = random.normal();
    target[i] = cause + features[5][i] + random.normal();
    for (const std::size_t reading : {0, 1, 2}) features[reading][i] = cause + 0.1 * features[reading][i];
    features[6][i] = 0.4 * cause + features[6][i];
  }
  const Blanket found = find_blanket(LinearTest(features, target), {.threads = 1});
  ASSERT_EQ(found.members.size(), 2u);
  EXPECT_EQ(found.members[1], "x005");
  Names readings;
  for (const FeatureVerdict& f : found.features) {
    if (f.name == found.members[0])
      readings = f.interchangeable;
    else
      EXPECT_TRUE(f.interchangeable.empty()) << f.name;
  }
  readings.push_back(found.members[0]);
  std::sort(readings.begin(), readings.end());
  EXPECT_EQ(readings, (Names{"x000", "x001", "x002"}));
}

TEST(Fixpoint, ExactCopiesAreInterchangeableWithoutATest) {
  const LinearModel model = linear_model(6, 500, 3);
  std::vector<Column> features = model.features;
  features.push_back(features[2]);
  const Blanket found = find_blanket(LinearTest(features, model.target), {.threads = 1},
                                     {.duplicates = {{"x002", "x006"}}, .dimensions = {}});
  EXPECT_EQ(found.features[2].interchangeable, Names{"x006"});
  EXPECT_EQ(found.features[6].reason, Reason::copy);
}

TEST(Fixpoint, WeakAmongManyIsSaid) {
  // Six features at p = 0.03 given anything: each by itself is dependent at 0.05, none of them among six.
  class Weak : public TargetCiTest {
   public:
    std::span<const std::string> features() const override { return names_; }
    CiResult test(std::size_t x, std::span<const std::size_t>) const override {
      CiResult r;
      r.effect = 1;
      r.p_value = x < 2 ? 0.03 : 0.5;
      return r;
    }

   private:
    Names names_ = numbered(6);
  };
  const Blanket found = find_blanket(Weak(), {.threads = 1});
  EXPECT_TRUE(found.members.empty());
  EXPECT_EQ(found.features[0].reason, Reason::too_weak);
  EXPECT_EQ(found.features[5].reason, Reason::tested);
  EXPECT_DOUBLE_EQ(found.joint_level, 0.05 / 6);
  EXPECT_EQ(find_blanket(Weak(), {.fdr = 0, .threads = 1}).members, (Names{"x000", "x001"}));
}

TEST(Fixpoint, AFeatureThatCannotBeToldApartSaysSo) {
  class Copies : public TargetCiTest {
   public:
    std::span<const std::string> features() const override { return names_; }
    CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
      CiResult r;
      const bool twin = x < 2 && std::count(given.begin(), given.end(), 1 - x);
      r.effect = twin ? 0 : x == 0 ? 1 : 0.9;
      r.p_value = twin ? 0.7 : 1e-6;
      r.undecidable = twin;
      return r;
    }

   private:
    Names names_ = numbered(3);
  };
  const Blanket found = find_blanket(Copies(), {.threads = 1});
  EXPECT_EQ(found.members, (Names{"x000", "x002"}));
  EXPECT_EQ(found.features[1].reason, Reason::undecidable);
  EXPECT_EQ(found.features[1].separating_set, Names{"x000"});
  EXPECT_EQ(found.features[0].interchangeable, Names{"x001"});
}

TEST(Fixpoint, ExactlyAsManyAsAsked) {
  const LinearModel model = linear_model(30, 500, 5);
  const LinearTest test(model.features, model.target);
  const Names four = find_blanket(test, {.threads = 1}).members;
  ASSERT_EQ(four.size(), 4u);
  for (const std::uint64_t wanted : {1, 3, 4, 6, 30}) {
    const Blanket found = find_blanket(test, {.n_features = wanted, .threads = 1});
    EXPECT_EQ(found.members.size(), wanted);
    EXPECT_EQ(found.notes.empty(), wanted == 4);
    for (const FeatureVerdict& f : found.features) {
      const bool by_tests = std::count(four.begin(), four.end(), f.name) != 0;
      EXPECT_EQ(f.reason == Reason::number_asked, by_tests != (f.role != Role::excluded)) << f.name;
    }
  }
  EXPECT_EQ(find_blanket(test, {.search = SearchProcedure::paper, .n_features = 5, .threads = 1}).members.size(), 5u);
  EXPECT_THROW(find_blanket(test, {.n_features = 31}), InputError);
  EXPECT_THROW(find_blanket(test, {.must = {"x007", "x008"}, .n_features = 1}), InputError);
}

TEST(Fixpoint, BudgetsAreTimesAndEndTheSearch) {
  EXPECT_EQ(budget_seconds(""), 0);
  EXPECT_EQ(budget_seconds("90s"), 90);
  EXPECT_EQ(budget_seconds("45"), 45);
  EXPECT_EQ(budget_seconds("1.5m"), 90);
  EXPECT_EQ(budget_seconds("2h"), 7200);
  for (const char* wrong : {"ten", "10x", "-3s", "0", "m", "10 m"})
    EXPECT_THROW(budget_seconds(wrong), InputError) << wrong;
  const LinearModel model = linear_model(40, 300, 6);
  const LinearTest test(model.features, model.target);
  const Blanket none = find_blanket(test, {.budget = "0.000000001s", .threads = 2});
  EXPECT_TRUE(none.partial);
  EXPECT_LE(none.tests, 40u);
  const Blanket all = find_blanket(test, {.budget = "1h", .threads = 2});
  EXPECT_FALSE(all.partial);
  EXPECT_EQ(all.members, find_blanket(test, {.threads = 1}).members);
}

}  // namespace
}  // namespace macmi::blanket
