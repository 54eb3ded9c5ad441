#include "experiments/bullseye3d_tests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "experiments/simulations/simulated_dataset.hpp"

namespace macmi::experiments {
namespace {

constexpr std::size_t width = 3, feature_count = 6;
constexpr double epsilon = 0.3;

/// The numbers of a result that the comparison needs, as text and back.
std::string as_text(const CiResult& r) {
  return fmt::format("{} {} {} {}", r.p_value, r.z_score, r.statistic, r.effect);
}
CiResult as_result(const std::string& text, std::size_t n) {
  CiResult r;
  std::istringstream(text) >> r.p_value >> r.z_score >> r.statistic >> r.effect;
  r.n = n;
  return r;
}

/// The paper's k-NN test on raw samples: k = 100, Runge's (2018) permutations, z as heavy as x and y.
void as_published(SelectOptions& o) {
  o.test.no_adjustment = true;
  o.test.centres = 0;
  o.test.k = NeighbourCount(100);
  o.test.z_weight = 1;
}

SelectOptions options_of(const std::string& method, const BullseyeCase& c) {
  SelectOptions o;
  if (method == "paper") o.maps.preset = MapsPreset::paper_3d;
  if (method == "knn" || method == "sdcit" || method == "ccit") o.maps.kind = MapKind::none;
  if (method == "knn") as_published(o);
  if (method == "sdcit") o.method = Method::sdcit;
  if (method == "ccit") o.method = Method::ccit;
  o.test.permutations = c.permutations;
  o.test.seed = c.seed;
  o.maps.folds = 1;  // every method sees all samples at once
  return o;
}

}  // namespace

const std::vector<BullseyeMethod>& bullseye_methods() {
  static const std::vector<BullseyeMethod> all = {{"proposed", "proposed", false},
                                                  {"paper", "proposed, paper's preset", false},
                                                  {"knn", "k-NN", false},
                                                  {"sdcit", "HSIC/SDCIT", true},
                                                  {"ccit", "CCIT", true}};
  return all;
}

SelectOptions bullseye_test_options(const BullseyeCase& the_case, const BullseyeMethod& method) {
  SelectOptions options = resolved(options_of(method.word, the_case));
  options.test.stop = StopRule::never;  // ranks need whole p-values and nulls
  return options;
}

BullseyeTest::BullseyeTest(const BullseyeCase& the_case, const BullseyeMethod& method, run::Ledger& ledger,
                           std::function<bool()> keep_going, std::size_t threads, const ExperimentTeam* team,
                           std::uint64_t number)
    : case_(the_case),
      method_(method),
      ledger_(ledger),
      keep_going_(std::move(keep_going)),
      threads_(threads),
      options_(bullseye_test_options(the_case, method)),
      team_(team),
      number_(number) {
  for (std::size_t f = 1; f <= feature_count; ++f) names_.push_back(fmt::format("x{}", f));
}

std::string BullseyeTest::name(std::size_t x, std::span<const std::size_t> given) const {
  std::vector<std::string> set;
  for (const std::size_t g : given) set.push_back(names_[g]);
  std::sort(set.begin(), set.end());
  return fmt::format("bullseye3d {} {} n={} seed={} permutations={} {} given {}", method_.word,
                     case_.graph == BullseyeGraph::authors ? "authors" : "caption", case_.n, case_.seed,
                     case_.permutations, names_[x], fmt::join(set, " "));
}

void BullseyeTest::prepare() const {
  data_ = std::make_unique<Dataset>(as_dataset(bullseye3d(case_.n, epsilon, case_.graph, case_.seed), width));
  const auto cancelled = [this] { return !keep_going_(); };
  if (options_.maps.kind == MapKind::none) {
    inner_ = make_selection_test(*data_, options_, cancelled);
    if (team_) spread_ = team_->spread(*inner_, number_);
    return;
  }
  MapsOptions maps = resolved(options_).maps;
  maps.threads = threads_;
  MapsHooks hooks;
  hooks.on_progress = [this](const MapsProgress&) { return keep_going_(); };
  hooks.folder = fmt::format("{}/training/{}-{}-{}-{}", ledger_.directory(), method_.word,
                             case_.graph == BullseyeGraph::authors ? "authors" : "caption", case_.n, case_.seed);
  if (team_) hooks.team = team_->training;
  maps_ = std::make_unique<LearnedMaps>(learn_maps(*data_, maps, hooks));
  inner_ = make_selection_test(*maps_, options_, cancelled);
  if (team_) spread_ = team_->spread(*inner_, number_);
}

CiResult BullseyeTest::test(std::size_t x, std::span<const std::size_t> given) const {
  return as_result(ledger_.value(name(x, given),
                                 [&] {
                                   std::call_once(prepared_, [this] { prepare(); });
                                   return as_text((spread_ ? *spread_ : *inner_).test(x, given));
                                 }),
                   case_.n);
}

std::string BullseyeTest::blanket() const {
  FeatureFacts facts;
  facts.dimensions.assign(feature_count, options_.maps.kind == MapKind::none ? width : 1);
  facts.power_limit = power_limit(options_.method, case_.n);
  SearchOptions search = options_.search;
  search.threads = threads_;
  SearchHooks hooks;
  hooks.on_progress = [this](const SearchProgress&) { return keep_going_(); };
  const Blanket found = find_blanket(*this, search, facts, hooks);
  return found.members.empty() ? "none" : fmt::format("{}", fmt::join(found.members, " "));
}

}  // namespace macmi::experiments
