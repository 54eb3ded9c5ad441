#pragma once
#include <string>
#include <vector>

#include "macmi/ci_test.hpp"
#include "macmi/variable.hpp"

namespace macmi {

/// The linear reference: is x uncorrelated with y given z? Exact for Gaussian data, blind to dependences without a
/// linear part. One-dimensional x and y: Fisher's z of the partial correlation, √(n − |z| − 3)·atanh r against the
/// normal. More dimensions (a category of c values is c − 1 of them): Wilks' Λ by Rao's F, exact when x or y has at
/// most two dimensions. Columns that are constant or determined by the others do not count.
/// `statistic` is the conditional mutual information in nats that jointly Gaussian data with these correlations has,
/// −½ ln Λ (−½ ln(1 − r²) in one dimension); `null_mean` and `null_sd` are exact for Gaussian data.
/// O(n·d²) for d columns. Throws InputError for NaN or infinity, naming the column.
CiResult fisher_z(const Variable& x, const Variable& y, const Variable& z);

/// Named variables against a target by fisher_z. Variables are views: the samples must outlive it.
class FisherZTest : public TargetCiTest {
 public:
  FisherZTest(std::vector<std::string> names, std::vector<Variable> features, Variable target);
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override;

 private:
  std::vector<std::string> names_;
  std::vector<Variable> features_;
  Variable target_;
};

}  // namespace macmi
