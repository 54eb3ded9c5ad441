#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "predict/information.hpp"
#include "select/prepared_samples.hpp"

namespace macmi::select {

/// The information that one feature adds to the members, and the information that it has alone.
struct MeasuredEffect {
  predict::Information given_members, alone;
  std::string remark;  ///< why the first is unknown
};

struct EffectQuestions {
  std::vector<std::size_t> members;  ///< features, by place
  std::vector<std::size_t> asked;    ///< members or not: a member is asked given the others
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  std::function<bool()> cancelled = {};
};

/// One estimator for all of them: PredictiveInformation on the samples that have a value in all that is needed, of many
/// samples on some of them. In the order of `asked`; the same bits for any number of threads and any order of features.
std::vector<MeasuredEffect> measure_effects(const PreparedSamples& samples, const EffectQuestions& questions);

/// At most so many of the rows, chosen by chance.
std::vector<std::size_t> thinned(std::vector<std::size_t> rows, std::size_t most, std::uint64_t seed);

}  // namespace macmi::select
