#pragma once
#include "macmi/evaluate.hpp"
#include "run/ledger.hpp"

namespace macmi::evaluate {

/// Finished parts of an evaluation go into the ledger, checkpoints into its directory. The ledger must outlive it.
inline EvaluationMemory kept_in(run::Ledger& ledger) {
  return {[&ledger](const std::string& name, const auto& measure) { return ledger.value(name, measure); },
          ledger.directory() + "/training"};
}

}  // namespace macmi::evaluate
