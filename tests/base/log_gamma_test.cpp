#include "base/log_gamma.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"

namespace macmi::base {
namespace {

// ctest label threads: std::lgamma would write to a global variable
TEST(LogGamma, HasTheBitsOfTheLibraryOnAnyThread) {
  std::vector<double> values(400);
  parallel_for(values.size(), 1, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = log_gamma(0.25 * static_cast<double>(i + 1));
  });
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(values[i]),
              std::bit_cast<std::uint64_t>(std::lgamma(0.25 * static_cast<double>(i + 1))));
}

}  // namespace
}  // namespace macmi::base
