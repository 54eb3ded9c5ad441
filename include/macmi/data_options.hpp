#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/options.hpp"

namespace macmi {

/// The treatment of features without a value. Samples whose target is missing are always dropped.
enum class Missing {
  automatic,  ///< pairwise; impute when feature maps are trained
  pairwise,   ///< each test uses the samples complete for it and reports their number
  impute,     ///< the column's mean (a category of its own for categories) and a missing-indicator channel
  error,      ///< refuse the data
};

/// The data to read, and how its columns become features and a target.
struct DataOptions {
  std::vector<std::string> data;
  std::vector<std::string> target;
  std::string group;
  std::string id;
  std::string time;
  std::uint64_t window = 0;
  std::string unit;    ///< the column that says which rows belong together; no feature
  std::string weight;  ///< the column that says how many equal rows a row stands for; no feature
  std::string lags;    ///< of every numeric feature: its values so many rows before, "1" or "1..5"
  std::vector<std::string> features;
  std::vector<std::string> exclude;
  std::vector<std::string> type;
  Missing missing = Missing::automatic;
  std::vector<std::string> na;  ///< texts of CSV that stand for "no value"; empty: the usual ones; none: no text does
  std::string query;
  std::uint64_t rows = 0;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;  ///< for reading; not declared here, the verbs have their own --threads
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(DataOptions& options);

}  // namespace macmi
