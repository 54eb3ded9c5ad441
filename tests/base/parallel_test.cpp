#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace macmi::base {
namespace {

// ctest label threads: hands out ranges to threads
TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const std::size_t count : {0, 1, 7, 1000})
    for (const std::size_t grain : {1, 3, 5000})
      for (const std::size_t threads : {0, 1, 2, 9}) {
        std::vector<int> visits(count);
        parallel_for(count, grain, threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(visits, std::vector<int>(count, 1));
      }
}

// ctest label threads: hands out ranges to threads
TEST(ParallelFor, AnExceptionReachesTheCaller) {
  const auto fails = [](std::size_t begin, std::size_t end) {
    if (begin <= 500 && 500 < end) throw std::runtime_error("at 500");
  };
  EXPECT_THROW(parallel_for(1000, 1, 4, fails), std::runtime_error);
}

}  // namespace
}  // namespace macmi::base
