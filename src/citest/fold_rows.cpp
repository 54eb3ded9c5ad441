#include "citest/fold_rows.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "macmi/error.hpp"

namespace macmi::citest {

std::vector<FoldRows> split_by_fold(std::span<const std::int32_t> folds, std::size_t n) {
  if (folds.empty()) {
    FoldRows all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {all};
  }
  if (folds.size() != n) throw InputError(fmt::format("{} fold numbers were given for {} samples", folds.size(), n));
  std::map<std::int32_t, FoldRows> members;
  for (std::size_t i = 0; i < n; ++i) members[folds[i]].push_back(i);
  std::vector<FoldRows> result;
  for (auto& [fold, rows] : members) result.push_back(std::move(rows));
  return result;
}

VariableRows::VariableRows(const Variable& variable, const FoldRows& rows) {
  for (const NumericColumn& column : variable.numeric()) {
    std::vector<double>& values = numbers_.emplace_back();
    for (const std::size_t i : rows) values.push_back(column[i]);
  }
  for (const CategoricalColumn& column : variable.categorical()) {
    std::vector<std::int32_t>& values = codes_.emplace_back();
    for (const std::size_t i : rows) values.push_back(column[i]);
  }
  for (std::size_t c = 0; c < numbers_.size(); ++c)
    view_.add(NumericColumn{numbers_[c].data(), 1, variable.numeric()[c].name}, rows.size());
  for (std::size_t c = 0; c < codes_.size(); ++c)
    view_.add(CategoricalColumn{codes_[c].data(), 1, variable.categorical()[c].name}, rows.size());
}

}  // namespace macmi::citest
