#include "base/sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

namespace macmi {

void sort_ascending(std::span<double> values) {
  const hwy::Sorter sorter;
  sorter(values.data(), values.size(), hwy::SortAscending());
}

}  // namespace macmi
