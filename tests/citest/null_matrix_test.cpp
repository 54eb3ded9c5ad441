// The level and power of the test on 12 cells of the matrix that study/ci_matrix.cpp measures in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "experiments/simulations/variable_kinds.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

using experiments::GivenKind;
using experiments::name_of;
using experiments::VariableKind;

constexpr std::size_t samples = 300, data_sets = 60;

struct Cell {
  VariableKind x, y;
  GivenKind z;
};

void PrintTo(const Cell& cell, std::ostream* out) {
  *out << name_of(cell.x) << ", " << name_of(cell.y) << " given " << name_of(cell.z);
}

int rejected(const Cell& cell, double dependence) {
  int count = 0;
  for (std::size_t set = 0; set < data_sets; ++set) {
    base::RandomStream random(
        base::StreamKey(91).with(name_of(cell.x)).with(name_of(cell.y)).with(name_of(cell.z)).with(set));
    const experiments::SimulatedTriple s =
        experiments::simulate_triple(cell.x, cell.y, cell.z, samples, dependence, random);
    TestOptions options;
    options.permutations = 99;
    options.threads = 1;
    options.seed = set;
    count += ci_test(s.x.view("x"), s.y.view("y"), s.z.view("z"), options).p_value <= options.alpha;
  }
  return count;
}

class NullMatrix : public testing::TestWithParam<Cell> {};

/// Of 60 data sets a test of level 0.05 rejects 9 or more with a probability of 0.003, hence one of 12 cells or more
/// with 0.03; the seeds are fixed. A test of level 0.2 rejects 9 or more with a probability of 0.87.
// ctest label of all long: rejection rates over many data sets of every kind
TEST_P(NullMatrix, LevelIsKept) {
  const int count = rejected(GetParam(), 0);
  RecordProperty("rejected", count);
  EXPECT_LE(count, 8);
}

/// A test that never rejects keeps every level. One of level 0.05 without any power rejects 9 or more with 0.003.
TEST_P(NullMatrix, PowerIsThere) {
  const int count = rejected(GetParam(), 0.7);
  RecordProperty("rejected", count);
  EXPECT_GE(count, 9);
}

INSTANTIATE_TEST_SUITE_P(
    Cells, NullMatrix,
    testing::Values(Cell{VariableKind::four_classes, VariableKind::four_classes, GivenKind::four_classes},
                    Cell{VariableKind::sixteen_classes, VariableKind::four_classes, GivenKind::four_classes},
                    Cell{VariableKind::sixteen_classes, VariableKind::sixteen_classes, GivenKind::nothing},
                    Cell{VariableKind::sixteen_classes, VariableKind::sixteen_classes, GivenKind::number},
                    Cell{VariableKind::two_classes, VariableKind::sixteen_classes, GivenKind::two_categories},
                    Cell{VariableKind::sixteen_classes, VariableKind::number, GivenKind::sixteen_classes_and_number},
                    Cell{VariableKind::mixed_block, VariableKind::four_classes, GivenKind::nothing},
                    Cell{VariableKind::mixed_block, VariableKind::number, GivenKind::four_classes},
                    Cell{VariableKind::count, VariableKind::two_classes, GivenKind::number},
                    Cell{VariableKind::heavy_tailed, VariableKind::heavy_tailed, GivenKind::three_numbers},
                    Cell{VariableKind::number, VariableKind::number, GivenKind::number},
                    Cell{VariableKind::block, VariableKind::count, GivenKind::two_categories}),
    [](const auto& cell) {
      std::string name = name_of(cell.param.x) + " " + name_of(cell.param.y) + " given " + name_of(cell.param.z);
      std::erase_if(name, [](char c) { return c == ',' || c == '%' || c == '-'; });
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

}  // namespace
}  // namespace macmi::citest
