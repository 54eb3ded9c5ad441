#include "named_data.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace macmi::cli {

std::vector<Option> declare(NamedData& named) {
  constexpr std::array<std::string_view, 4> not_here = {"target", "features", "exclude", "seed"};
  std::vector<Option> options;
  for (Option& option : declare(named.data))
    if (std::find(not_here.begin(), not_here.end(), option.name) == not_here.end())
      options.push_back(std::move(option));
  options.push_back({.name = "x",
                     .field = &named.x,
                     .meaning = "Column or feature, or several that make one variable",
                     .required = true});
  options.push_back({.name = "y",
                     .field = &named.y,
                     .meaning = "Column or feature, or several that make one variable",
                     .required = true});
  options.push_back({.name = "z", .field = &named.z, .meaning = "Columns or features to condition on"});
  return options;
}

data::NamedVariables read_variables(const NamedData& named, std::uint64_t seed, std::uint64_t threads) {
  DataOptions data = named.data;
  data.seed = seed;
  data.threads = threads;
  return data::NamedVariables(read_dataset(data), named.x, named.y, named.z);
}

}  // namespace macmi::cli
