#include "citest/common_labels.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace macmi::citest {
namespace {

struct LabelCounts {
  std::unordered_map<std::int32_t, std::size_t> samples;
  bool identifies_rows = false;
};

LabelCounts count_labels(const CategoricalColumn& column, std::size_t n) {
  LabelCounts counts;
  for (std::size_t i = 0; i < n; ++i) ++counts.samples[column[i]];
  std::size_t rare = 0;
  for (const auto& [label, samples] : counts.samples)
    if (samples < CommonLabels::few) rare += samples;
  counts.identifies_rows = 2 * rare > n && counts.samples.size() > 2;
  return counts;
}

std::string said_of(const CategoricalColumn& column, std::size_t labels, std::size_t n) {
  return fmt::format("column '{}' nearly identifies rows: {} labels in {} samples", column.name, labels, n);
}

}  // namespace

CommonLabels::CommonLabels(const Variable& variable) {
  const std::size_t n = variable.samples();
  for (const NumericColumn& column : variable.numeric()) view_.add(column, n);
  merged_.reserve(variable.categorical().size());
  for (const CategoricalColumn& column : variable.categorical()) {
    const LabelCounts counts = count_labels(column, n);
    if (!counts.identifies_rows) {
      view_.add(column, n);
      continue;
    }
    std::vector<std::int32_t>& codes = merged_.emplace_back();
    std::unordered_map<std::int32_t, std::int32_t> numbers;
    for (std::size_t i = 0; i < n; ++i) {
      const bool rare = counts.samples.at(column[i]) < common;
      codes.push_back(rare ? 0
                           : numbers.emplace(column[i], static_cast<std::int32_t>(numbers.size() + 1)).first->second);
    }
    notes_.push_back(fmt::format("{}; labels of fewer than {} samples count as one, which leaves {}",
                                 said_of(column, counts.samples.size(), n), common, numbers.size() + 1));
    view_.add(CategoricalColumn{codes.data(), 1, column.name}, n);
  }
}

std::vector<std::string> notes_on_labels(const Variable& z) {
  std::vector<std::string> notes;
  for (const CategoricalColumn& column : z.categorical())
    if (const LabelCounts counts = count_labels(column, z.samples()); counts.identifies_rows)
      notes.push_back(said_of(column, counts.samples.size(), z.samples()) +
                      "; given it, hardly any two samples can be compared");
  return notes;
}

}  // namespace macmi::citest
