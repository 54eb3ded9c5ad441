#pragma once
#include <string>
#include <vector>

#include "data/named_variables.hpp"
#include "macmi/options.hpp"

namespace macmi::cli {

/// The data of a verb that looks at one x, y and z of it.
struct NamedData {
  DataOptions data;
  std::vector<std::string> x, y, z;
};

/// The data options of `select` without those about a target and the choice of features, and --x, --y, --z.
std::vector<Option> declare(NamedData& named);

/// Reads the data by the way that all verbs take.
data::NamedVariables read_variables(const NamedData& named, std::uint64_t seed, std::uint64_t threads);

}  // namespace macmi::cli
