#include "citest/shared_null.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "citest/null/stopping.hpp"

namespace macmi::citest {
namespace {

std::vector<double> sorted_numbers(const Variable& v) {
  std::vector<double> values;
  if (!v.numeric().empty())
    for (std::size_t i = 0; i < v.samples(); ++i) values.push_back(v.numeric().front()[i]);
  std::sort(values.begin(), values.end());
  return values;
}

/// How many samples each class has, the largest first.
std::vector<std::size_t> class_sizes(const CategoricalColumn& column, std::size_t n) {
  std::map<std::int32_t, std::size_t> counts;
  for (std::size_t i = 0; i < n; ++i) ++counts[column[i]];
  std::vector<std::size_t> sizes;
  for (const auto& [label, count] : counts) sizes.push_back(count);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  return sizes;
}

/// Labels 0, 1, … with the sizes of the column's classes.
std::vector<std::int32_t> sorted_labels(const Variable& v) {
  std::vector<std::int32_t> labels;
  if (v.categorical().empty()) return labels;
  for (std::int32_t label = 0; const std::size_t size : class_sizes(v.categorical().front(), v.samples()))
    labels.insert(labels.end(), size, label++);
  return labels;
}

Variable column(const std::vector<double>& numbers, const std::vector<std::int32_t>& labels) {
  return numbers.empty() ? Variable::categories(labels) : Variable(numbers);
}

}  // namespace

SharedNull::SharedNull(const Variable& x, const Variable& y, const TestOptions& options, TieRule ties, WideLook look,
                       const base::StreamKey& stream)
    : x_numbers_(sorted_numbers(x)),
      y_numbers_(sorted_numbers(y)),
      x_labels_(sorted_labels(x)),
      y_labels_(sorted_labels(y)),
      fold_(column(x_numbers_, x_labels_), column(y_numbers_, y_labels_), Variable(), options, ties, {.look = look},
            stream) {}

std::vector<double> SharedNull::permuted(std::uint64_t first, std::size_t count) {
  const std::lock_guard lock(mutex_);
  const std::size_t scales = fold_.ks().size() + (fold_.looks_wide() ? 1 : 0);
  while (drawn_.size() < (first + count) * scales) {
    const std::vector<double> more = fold_.permuted(drawn_.size() / scales, look_every);
    drawn_.insert(drawn_.end(), more.begin(), more.end());
  }
  const auto from = drawn_.begin() + static_cast<std::ptrdiff_t>(first * scales);
  return {from, from + static_cast<std::ptrdiff_t>(count * scales)};
}

std::string shared_kind(const Variable& v) {
  if (v.numeric().size() + v.categorical().size() != 1) return {};
  if (v.numeric().empty()) {
    std::string kind = "classes";
    for (const std::size_t size : class_sizes(v.categorical().front(), v.samples())) kind += " " + std::to_string(size);
    return kind;
  }
  const std::vector<double> values = sorted_numbers(v);
  return std::adjacent_find(values.begin(), values.end()) == values.end() ? "numbers" : "";
}

}  // namespace macmi::citest
