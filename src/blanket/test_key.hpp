#pragma once
#include <compare>
#include <cstddef>
#include <vector>

namespace macmi::blanket {

/// A test by the ranks of its features in the order of names; `given` ascending.
struct TestKey {
  std::size_t feature = 0;
  std::vector<std::size_t> given;
  // clang-tidy 14 takes the comparison for one with a null pointer.
  auto operator<=>(const TestKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace macmi::blanket
