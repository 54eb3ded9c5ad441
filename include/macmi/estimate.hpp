#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/options.hpp"
#include "macmi/variable.hpp"

namespace macmi {

/// The scaling of numbers before distances are taken.
enum class Transform {
  none,         ///< as they are
  block,        ///< one scale per variable: the root mean square deviation of its columns, so a map keeps its metric
  standardize,  ///< each column to mean 0 and (population) standard deviation 1
  ranks,        ///< each column to its ranks; tied values share the lowest
  automatic,    ///< of a test: see used_transform
};

/// How points on the edge of a neighbourhood count.
enum class TieRule {
  automatic,   ///< mixed when values repeat (see repeated_values_limit), continuous otherwise
  continuous,  ///< Kraskov et al. 2004, Frenzel & Pompe 2007: strictly inside; badly biased when values repeat
  mixed,       ///< Mesner & Shalizi 2020: up to and including the edge; right for ties and mixed data
  counts,      ///< categories alone, where nothing has a distance: the plug-in value of the table of counts
};

/// The distance between two different categories.
enum class CategoricalMetric {
  cells,   ///< further apart than any numbers: neighbours share the category (Ross 2014)
  unit01,  ///< 1: the convention of knncmi and tigramite's CMIknnMixed, here to check against them
};

/// fast and brute_force give the same bits.
enum class Engine { fast, brute_force };

struct EstimateOptions {
  NeighbourCount k = 5;
  Transform transform = Transform::block;
  TieRule ties = TieRule::automatic;
  CategoricalMetric categorical = CategoricalMetric::cells;
  double z_weight = 1.0;
  std::uint64_t threads = 0;
  Engine engine = Engine::fast;
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(EstimateOptions& options);

/// `ties = automatic` chooses the mixed rule when in some numeric column more than this share of the samples have a
/// value that another sample has too.
inline constexpr double repeated_values_limit = 0.05;

struct Estimate {
  double value = 0;          ///< nats; may be slightly negative, as unbiased estimates of zero are
  std::size_t n = 0;         ///< samples used
  std::size_t left_out = 0;  ///< samples alone in their combination of categories: no neighbour, so they add 0
  std::size_t k = 0;         ///< neighbours asked for, resolved; fewer are used inside smaller cells
  TieRule ties = TieRule::continuous;  ///< the rule used; never `automatic`
  std::string ties_reason;             ///< why that rule
  Transform transform = Transform::none;
};

/// k-nearest-neighbour estimate of the conditional mutual information I(x; y | z); of I(x; y) when z is empty.
/// O(n log n) to O(n^1.4) for up to 5 dimensions, towards O(n²) beyond. The same bits for any number of threads.
Estimate estimate_cmi(const Variable& x, const Variable& y, const Variable& z = {},
                      const EstimateOptions& options = {});

/// The value alone, in nats.
double cmi(const Variable& x, const Variable& y, const Variable& z, const EstimateOptions& options = {});
double mutual_information(const Variable& x, const Variable& y, const EstimateOptions& options = {});

}  // namespace macmi
