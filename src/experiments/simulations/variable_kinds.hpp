#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "macmi/variable.hpp"

namespace macmi::experiments {

/// The kinds of variables that a conditional independence test meets.
enum class VariableKind { number, heavy_tailed, count, two_classes, four_classes, sixteen_classes, block, mixed_block };
inline constexpr VariableKind all_variable_kinds[] = {
    VariableKind::number,       VariableKind::heavy_tailed,    VariableKind::count, VariableKind::two_classes,
    VariableKind::four_classes, VariableKind::sixteen_classes, VariableKind::block, VariableKind::mixed_block};

/// The kinds of what is given.
enum class GivenKind { nothing, number, three_numbers, four_classes, sixteen_classes_and_number, two_categories };
inline constexpr GivenKind all_given_kinds[] = {GivenKind::nothing,
                                                GivenKind::number,
                                                GivenKind::three_numbers,
                                                GivenKind::four_classes,
                                                GivenKind::sixteen_classes_and_number,
                                                GivenKind::two_categories};

std::string name_of(VariableKind kind);
std::string name_of(GivenKind kind);

/// The samples of one variable: numeric columns, then categories.
struct VariableSamples {
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::int32_t>> categories;
  Variable view(const std::string& name) const;
};

/// Samples of one kind, each made of its part of `score` and of its noise, half of the variance each where both have
/// deviation 1. An empty score: noise alone.
VariableSamples simulate_variable(VariableKind kind, const std::vector<double>& score, const std::vector<double>& noise,
                                  base::RandomStream& random);

struct SimulatedTriple {
  VariableSamples x, y, z;
};

/// n samples of x and y of the given kinds. A score s of z explains half of the variance of what x and y are made of;
/// the other half is noise of their own. The noises of x and y are normal with correlation `dependence`, so that x and
/// y are independent given z where it is 0. With nothing given, x and y are their noise alone.
SimulatedTriple simulate_triple(VariableKind x, VariableKind y, GivenKind z, std::size_t n, double dependence,
                                base::RandomStream& random);

}  // namespace macmi::experiments
