#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "blanket/scripted_test.hpp"
#include "macmi/blanket.hpp"
#include "macmi/error.hpp"

namespace macmi::blanket {
namespace {

using testing::ScriptedTest;
using Names = std::vector<std::string>;

Names letters(std::size_t count) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("f{:c}", static_cast<char>(97 + i)));
  return names;
}

Names shuffled(Names names, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("shuffle"));
  for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random.below(i)]);
  return names;
}

/// Everything a result says, as text, for comparison.
std::string everything(const Blanket& b) {
  std::string s = "tests " + std::to_string(b.tests) + (b.partial ? " partial in " + b.stopped_in : "") + "\n";
  const auto list = [](const Names& names) {
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
  };
  const auto test = [&](const Names& given, const CiResult& r) {
    char text[120];
    std::snprintf(text, sizeof text, "(%a %a %a) | ", r.statistic, r.effect, r.p_value);
    return text + list(given);
  };
  s += list(b.members) + "\n" + list(b.notes) + "\n";
  for (const FeatureVerdict& f : b.features) {
    s += f.name + " " + text(f.role) + " " + text(f.reason) + " " + f.same_as + (f.re_tested ? " re-tested " : " ");
    if (f.deciding) s += test(f.deciding->given, f.deciding->result);
    if (f.marginal) s += test({}, *f.marginal);
    s += " sep " + list(f.separating_set) + std::to_string(f.tests) + " near " + std::to_string(f.near_miss_count);
    for (const Evidence& e : f.near_misses) s += test(e.given, e.result);
    s += "\n";
  }
  for (const UsedTest& t : b.log)
    s += t.feature + " " + t.stage + (t.dependent ? *t.dependent ? " dependent " : " independent " : " undecided ") +
         test(t.evidence.given, t.evidence.result) + "\n";
  return s;
}

constexpr SearchProcedure paper = SearchProcedure::paper, fixpoint = SearchProcedure::fixpoint;

/// Algorithm 1 and the shrink pass once more, written for reading: sets of names, no look-ahead, no ledger.
struct PlainSearch {
  const ScriptedTest& test;
  double alpha = 0.05;
  std::set<std::pair<std::string, Names>> made = {};
  std::map<std::string, Names> separating = {};

  bool independent(const std::string& x, const std::set<std::string>& given) {
    const Names set(given.begin(), given.end());
    made.insert({x, set});
    if (test.answer(x, set).p_value <= alpha) return false;
    separating[x] = set;
    return true;
  }
  double marginal_effect(const std::string& x) const { return test.answer(x, {}).effect; }
  Names by_strength(const std::set<std::string>& names, bool weakest_first) const {
    Names order(names.begin(), names.end());
    std::sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
      return weakest_first ? marginal_effect(a) < marginal_effect(b) : marginal_effect(a) > marginal_effect(b);
    });
    return order;
  }

  /// Calls `visit` with every subset of `pool` of the given size until it returns true.
  static bool any_subset(const Names& pool, std::size_t size, std::size_t from, std::set<std::string> chosen,
                         const std::function<bool(const std::set<std::string>&)>& visit) {
    if (chosen.size() == size) return visit(chosen);
    for (std::size_t i = from; i < pool.size(); ++i) {
      std::set<std::string> more = chosen;
      more.insert(pool[i]);
      if (any_subset(pool, size, i + 1, more, visit)) return true;
    }
    return false;
  }

  std::set<std::string> run(std::size_t delta, bool shrink) {
    const auto features = test.features();
    std::set<std::string> adj(features.begin(), features.end());
    for (std::size_t c = 0; c <= delta; ++c)
      for (const std::string& x : by_strength(adj, true)) {
        std::set<std::string> others = adj;
        others.erase(x);
        if (any_subset(by_strength(others, false), c, 0, {}, [&](const auto& s) { return independent(x, s); }))
          adj.erase(x);
      }
    std::set<std::string> blanket = adj;
    for (const std::string& x : features) {
      const Names first_set = separating[x];
      if (adj.count(x)) continue;
      if (!independent(x, adj)) blanket.insert(x);
      separating[x] = first_set;
    }
    for (bool changed = shrink; changed;) {
      changed = false;
      for (const std::string& x : by_strength(blanket, true)) {
        std::set<std::string> others = blanket;
        others.erase(x);
        if (independent(x, others)) blanket.erase(x), changed = true;
      }
    }
    return blanket;
  }
};

TEST(Search, ThePapersProcedureFollowsTheAlgorithmStepByStep) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ScriptedTest test(letters(3 + seed % 8), seed, 0.01 + 0.01 * static_cast<double>(seed % 5));
    PlainSearch plain{test};
    const auto expected = plain.run(seed % 4, seed % 3 != 0);
    const Blanket found =
        find_blanket(test, {.search = paper, .delta = seed % 4, .no_shrink = seed % 3 == 0, .threads = 1});
    SCOPED_TRACE(seed);
    EXPECT_EQ(found.members, Names(expected.begin(), expected.end()));
    EXPECT_EQ(found.tests, plain.made.size());
    EXPECT_EQ(test.asked().size(), plain.made.size());  // exactly the algorithm's tests, with one thread
    std::set<std::pair<std::string, Names>> logged;
    for (const UsedTest& t : found.log) {
      logged.insert({t.feature, t.evidence.given});
      EXPECT_EQ(t.dependent, std::optional(test.answer(t.feature, t.evidence.given).p_value <= plain.alpha));
      EXPECT_EQ(t.stage == "marginal screen",
                t.evidence.given.empty() && &t - found.log.data() < static_cast<std::ptrdiff_t>(found.features.size()));
    }
    EXPECT_EQ(logged, plain.made);
    EXPECT_EQ(found.log.size(), plain.made.size());
    for (const FeatureVerdict& f : found.features)
      if (f.role == Role::excluded) {
        EXPECT_EQ(f.separating_set, plain.separating[f.name]) << f.name;
      }
  }
}

// ctest label threads: one thread against several
TEST(Search, ResultDoesNotDependOnThreadsOrColumnOrder) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Names names = letters(9);
    const ScriptedTest reference(names, seed);
    SearchOptions options{.search = seed % 2 ? paper : fixpoint, .n_features = seed % 3 ? 0 : 4u, .threads = 1};
    const std::string expected = everything(find_blanket(reference, options));
    for (const std::uint64_t threads : {1, 2, 4}) {
      const ScriptedTest other(shuffled(names, seed + threads), seed);
      options.threads = threads;
      EXPECT_EQ(everything(find_blanket(other, options)), expected) << seed << " " << threads;
    }
  }
}

TEST(Search, NoTestIsMadeTwice) {
  for (const std::uint64_t threads : {1, 4}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ScriptedTest test(letters(9), seed);
      find_blanket(test, {.threads = threads});
      for (const auto& [key, times] : test.asked()) EXPECT_EQ(times, 1) << key.first;
    }
  }
}

TEST(Search, MustIsKeptAndNeverIsLeftOut) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ScriptedTest test(letters(8), seed, 0.2);
    const Blanket found = find_blanket(test, {.must = {"fa", "fc"}, .never = {"fb"}, .threads = 1});
    EXPECT_EQ(std::count(found.members.begin(), found.members.end(), "fa"), 1);
    EXPECT_EQ(std::count(found.members.begin(), found.members.end(), "fc"), 1);
    EXPECT_EQ(std::count(found.members.begin(), found.members.end(), "fb"), 0);
    for (const auto& [key, times] : test.asked()) {
      EXPECT_NE(key.first, "fb");
      EXPECT_EQ(std::count(key.second.begin(), key.second.end(), "fb"), 0);
    }
    EXPECT_EQ(found.features[0].reason, Reason::required);
    EXPECT_EQ(found.features[1].reason, Reason::forbidden);
  }
}

TEST(Search, RefusesContradictoryOrUnknownNames) {
  const ScriptedTest test(letters(4), 1);
  EXPECT_THROW(find_blanket(test, {.must = {"fa"}, .never = {"fa"}}), InputError);
  EXPECT_THROW(find_blanket(test, {.never = {"fz"}}), InputError);
  const ScriptedTest twins({"a", "b", "a"}, 1);
  EXPECT_THROW(find_blanket(twins, {}), InputError);
  try {
    find_blanket(test, {.must = {"fb "}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'fb'"), std::string::npos) << error.what();
  }
}

TEST(Search, OneOfEachGroupOfCopiesIsSearched) {
  const Names names = letters(6);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ScriptedTest test(shuffled(names, seed), seed, 0.005);
    const FeatureFacts facts{.duplicates = {{"fd", "fb", "fe"}}, .dimensions = {}};
    const Blanket found = find_blanket(test, {.threads = 1}, facts);
    for (const auto& [key, times] : test.asked()) EXPECT_TRUE(key.first != "fd" && key.first != "fe");
    EXPECT_EQ(found.features[3].same_as, "fb");
    EXPECT_EQ(found.features[3].reason, Reason::copy);
    EXPECT_EQ(found.features[3].role, Role::excluded);
    // A preference settles which copy stands for the others.
    EXPECT_EQ(find_blanket(test, {.must = {"fe"}, .threads = 1}, facts).features[1].same_as, "fe");
    EXPECT_EQ(find_blanket(test, {.never = {"fb"}, .threads = 1}, facts).features[4].same_as, "fd");
  }
}

TEST(Search, MaxTestsGivesThePartialAnswerOfThatMoment) {
  const ScriptedTest test(letters(8), 3);
  for (const SearchProcedure procedure : {paper, fixpoint}) {
    const Blanket whole = find_blanket(test, {.search = procedure, .threads = 1});
    ASSERT_FALSE(whole.partial);
    for (std::uint64_t limit = 1; limit <= whole.tests; ++limit) {
      const ScriptedTest fresh(letters(8), 3);
      const Blanket part = find_blanket(fresh, {.search = procedure, .max_tests = limit, .threads = 4});
      EXPECT_EQ(part.partial, limit < whole.tests) << limit;
      EXPECT_EQ(part.tests, limit);
      EXPECT_LE(fresh.asked().size(), whole.tests + 64);
      EXPECT_EQ(everything(part),
                everything(find_blanket(test, {.search = procedure, .max_tests = limit, .threads = 1})));
      EXPECT_EQ(part.partial, !part.notes.empty() && part.notes.back().rfind("partial", 0) == 0);
    }
  }
  const Blanket three = find_blanket(test, {.max_tests = 3, .threads = 1});
  EXPECT_EQ(three.features.back().reason, Reason::not_reached);
  EXPECT_LE(three.members.size(), 3u);
}

/// p-values handed out by feature; everything is dependent given anything.
class FixedMarginals : public TargetCiTest {
 public:
  FixedMarginals(std::vector<double> p, std::vector<double> effects) : p_(std::move(p)), effects_(std::move(effects)) {
    for (std::size_t i = 0; i < p_.size(); ++i) names_.push_back(fmt::format("x{}", i));
  }
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    CiResult r;
    r.p_value = given.empty() ? p_[x] : 0.001;
    r.effect = effects_[x];
    return r;
  }

 private:
  std::vector<double> p_, effects_;
  std::vector<std::string> names_;
};

TEST(Search, FdrIsBenjaminiHochbergOverTheMarginalScreen) {
  // Thresholds 0.1·i/5: 0.02, 0.04, 0.06, 0.08, 0.1. Sorted p: 0.01, 0.041, 0.055, 0.09, 0.5: three are rejected, the
  // second because the third is.
  const FixedMarginals test({0.055, 0.5, 0.01, 0.09, 0.041}, std::vector<double>(5, 1.0));
  const Blanket found = find_blanket(test, {.delta = 0, .alpha = 0.1, .fdr = 0.1, .no_children = true, .threads = 1});
  EXPECT_EQ(found.members, (Names{"x0", "x2", "x4"}));
  const Blanket none =
      find_blanket(FixedMarginals({0.04, 0.03, 0.045, 0.9}, std::vector<double>(4, 1.0)), {.fdr = 0.01, .threads = 1});
  EXPECT_TRUE(none.members.empty());  // also not as co-parents given nothing
}

TEST(Search, EffectsBelowMinCmiAreIndependentAndNearMissesAreKept) {
  const FixedMarginals test({0.001, 0.001, 0.03, 0.001, 0.2}, {0.009, 0.02, 0.02, 0.011, 0.02});
  const Blanket found =
      find_blanket(test, {.search = paper, .delta = 0, .min_cmi = 0.01, .no_children = true, .threads = 1});
  EXPECT_EQ(found.members, (Names{"x1", "x2", "x3"}));
  std::vector<std::size_t> near;
  for (const FeatureVerdict& f : found.features) near.push_back(f.near_miss_count);
  EXPECT_EQ(near, (std::vector<std::size_t>{1, 0, 1, 1, 0}));
}

TEST(Search, ThePapersProcedureKeepsMembersBeyondTheDimensionLimitUnderTheirMark) {
  const FixedMarginals test(std::vector<double>(5, 0.001), std::vector<double>(5, 1.0));
  FeatureFacts facts{.duplicates = {}, .dimensions = {1, 3, 1, 1, 1}, .power_limit = 5};
  const Blanket found = find_blanket(test, {.search = paper, .delta = 1, .threads = 1}, facts);
  EXPECT_EQ(found.members.size(), 5u);
  std::vector<bool> re_tested;
  for (const FeatureVerdict& f : found.features) re_tested.push_back(f.re_tested);
  EXPECT_EQ(re_tested, (std::vector<bool>{false, true, false, false, false}));  // only x1 is tested given 4 columns
  EXPECT_EQ(found.notes.size(), 1u);
  const Blanket wider = find_blanket(test, {.search = paper, .delta = 1, .shrink_limit = 6, .threads = 1}, facts);
  EXPECT_TRUE(std::all_of(wider.features.begin(), wider.features.end(), [](const auto& f) { return f.re_tested; }));
  const Blanket asked = find_blanket(test, {.delta = 1, .threads = 1}, facts);  // the fixpoint knows no limit
  EXPECT_TRUE(std::all_of(asked.features.begin(), asked.features.end(), [](const auto& f) { return f.re_tested; }));
}

TEST(Search, KnownTestsAreNotMadeAgainAndChangeNothing) {
  const ScriptedTest test(letters(9), 5);
  std::vector<TestRecord> journal;
  SearchHooks hooks;
  hooks.on_test = [&](const TestRecord& record) { journal.push_back(record); };
  const std::string expected = everything(find_blanket(test, {.threads = 4}, {}, hooks));
  EXPECT_GE(journal.size(), find_blanket(test, {.threads = 4}).tests);

  const ScriptedTest resumed(letters(9), 5);
  SearchHooks with_journal;
  with_journal.known.assign(journal.begin(), journal.begin() + static_cast<std::ptrdiff_t>(journal.size() / 2));
  EXPECT_EQ(everything(find_blanket(resumed, {.threads = 1}, {}, with_journal)), expected);
  for (const TestRecord& record : with_journal.known) {
    Names given;
    for (const std::size_t g : record.given) given.push_back(letters(9)[g]);
    EXPECT_EQ(resumed.asked().count({letters(9)[record.feature], given}), 0u);
  }
}

TEST(Search, ARepeatedSearchTakesStoredTestsAndBeginsNoOthers) {
  /// Keeps the tests that a first search used, as a run does.
  class Stored : public TargetCiTest {
   public:
    Stored(const TargetCiTest& inner, const Blanket& first) : inner_(inner) {
      for (const UsedTest& test : first.log) stored_.insert({test.feature, test.evidence.given});
    }
    std::span<const std::string> features() const override { return inner_.features(); }
    CiResult test(std::size_t x, std::span<const std::size_t> given) const override { return inner_.test(x, given); }
    bool stored(std::size_t x, std::span<const std::size_t> given) const override {
      Names names;
      for (const std::size_t g : given) names.push_back(features()[g]);
      std::sort(names.begin(), names.end());
      return stored_.contains({features()[x], names});
    }

   private:
    const TargetCiTest& inner_;
    std::set<std::pair<std::string, Names>> stored_;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Blanket first = find_blanket(ScriptedTest(letters(9), seed), {.threads = 1});
    const ScriptedTest again(letters(9), seed);
    EXPECT_EQ(everything(find_blanket(Stored(again, first), {.threads = 4})), everything(first));
    EXPECT_EQ(again.asked().size(), first.tests);
  }
}

TEST(Search, StopsWhenTheCallerAsks) {
  for (const std::uint64_t threads : {1, 4}) {
    const ScriptedTest test(letters(9), 5);
    std::size_t calls = 0;
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress&) { return ++calls < 20; };
    EXPECT_THROW(find_blanket(test, {.threads = threads}, {}, hooks), Cancelled);
    EXPECT_LT(test.asked().size(), 40u);
  }
}

TEST(Search, ForecastBoundsTheTests) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::size_t m = 3 + seed % 7;
    const ScriptedTest test(letters(m), seed, 0.01);
    const SearchOptions options{.search = paper, .delta = seed % 4, .no_shrink = true, .threads = 1};
    std::size_t last_at_most = 0;
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress& p) {
      EXPECT_LE(p.expected, p.at_most);
      last_at_most = p.at_most;
      return true;
    };
    const Blanket found = find_blanket(test, options, {}, hooks);
    EXPECT_LE(found.tests, forecast_tests(m, m, 0, options).at_most);
    EXPECT_LE(found.tests, last_at_most);
  }
}

TEST(Search, ATestThatCannotBeMadeNeitherRemovesNorAdds) {
  class Gaps : public TargetCiTest {
   public:
    std::span<const std::string> features() const override { return names_; }
    CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
      CiResult r;
      r.effect = x == 2 ? std::nan("") : 1;
      r.p_value = !given.empty() || x == 2 ? std::nan("") : 0.001;
      return r;
    }

   private:
    Names names_{"a", "b", "c"};
  };
  const Blanket found = find_blanket(Gaps(), {.threads = 1});
  EXPECT_EQ(found.members, (Names{"a", "b"}));
  EXPECT_EQ(find_blanket(Gaps(), {.search = paper, .threads = 1}).members, (Names{"a", "b"}));
}

TEST(Search, NothingToSearch) {
  const ScriptedTest none(Names{}, 1), one({"only"}, 1, 0.0);
  EXPECT_TRUE(find_blanket(none).members.empty());
  EXPECT_EQ(find_blanket(one).members, Names{"only"});
}

}  // namespace
}  // namespace macmi::blanket
