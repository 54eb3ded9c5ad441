#include "base/vector/sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

namespace macmi::base {
namespace {

template <class T>
void sort(std::span<T> values) {
  const hwy::Sorter sorter;
  sorter(values.data(), values.size(), hwy::SortAscending());
}

}  // namespace

void sort_ascending(std::span<double> values) {
  sort(values);
}
void sort_ascending(std::span<std::uint32_t> values) {
  sort(values);
}
void sort_ascending(std::span<std::uint64_t> values) {
  sort(values);
}

}  // namespace macmi::base
