#include "citest/permutation/test_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace macmi::citest {
namespace {

std::vector<std::string> column_names(const Variable& variable) {
  std::vector<std::string> names;
  for (const auto& column : variable.numeric()) names.push_back(column.name);
  for (const auto& column : variable.categorical()) names.push_back(column.name);
  return names;
}

std::string name_of(const std::string& given, const Variable& variable) {
  return given.empty() ? fmt::format("{}", fmt::join(column_names(variable), ",")) : given;
}

}  // namespace

base::StreamKey test_stream(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                            const TestContext& context, bool permute_y) {
  std::vector<std::string> given = context.z.empty() ? column_names(z) : context.z;
  std::sort(given.begin(), given.end());
  base::StreamKey key = base::StreamKey(options.seed).with("local permutations").with(permute_y ? 1 : 0);
  key = key.with(name_of(context.x, x)).with(name_of(context.y, y)).with(given.size());
  for (const std::string& name : given) key = key.with(name);
  return key;
}

}  // namespace macmi::citest
