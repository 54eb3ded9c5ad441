#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/experiment_team.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "macmi/select.hpp"
#include "run/ledger.hpp"

namespace macmi::experiments {

/// A method of testing, as the comparison of section 5.2 runs it.
struct BullseyeMethod {
  const char* word;   ///< of --methods
  const char* label;  ///< in tables and figures
  bool slow;          ///< tested on a choice of statements only
};
const std::vector<BullseyeMethod>& bullseye_methods();

/// One data set of the comparison.
struct BullseyeCase {
  BullseyeGraph graph = BullseyeGraph::authors;
  std::size_t n = 6000;
  std::uint64_t seed = 1;
  std::uint64_t permutations = 200;
};

/// The options of its tests.
SelectOptions bullseye_test_options(const BullseyeCase& the_case, const BullseyeMethod& method);

/// One method on one data set. Maps are learned when the first test needs them; tests are taken from the ledger where
/// it has them.
class BullseyeTest : public TargetCiTest {
 public:
  /// `team`: processes that take part, or nothing; they know this test by `number`.
  BullseyeTest(const BullseyeCase& the_case, const BullseyeMethod& method, run::Ledger& ledger,
               std::function<bool()> keep_going, std::size_t threads, const ExperimentTeam* team = nullptr,
               std::uint64_t number = 0);
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override;
  bool stored(std::size_t x, std::span<const std::size_t> given) const override {
    return ledger_.find(name(x, given)).has_value();
  }
  /// The members of the blanket that Algorithm 1 finds with this test.
  std::string blanket() const;

 private:
  std::string name(std::size_t x, std::span<const std::size_t> given) const;
  void prepare() const;

  BullseyeCase case_;
  BullseyeMethod method_;
  run::Ledger& ledger_;
  std::function<bool()> keep_going_;
  std::size_t threads_;
  SelectOptions options_;
  std::vector<std::string> names_;
  mutable std::once_flag prepared_;
  mutable std::unique_ptr<Dataset> data_;
  mutable std::unique_ptr<LearnedMaps> maps_;
  const ExperimentTeam* team_;
  std::uint64_t number_;
  mutable std::unique_ptr<SelectionTest> inner_;
  mutable std::unique_ptr<TargetCiTest> spread_;
};

}  // namespace macmi::experiments
