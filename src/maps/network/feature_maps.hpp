#pragma once
#include <memory>
#include <span>
#include <vector>

#include "maps/network/architecture.hpp"
#include "maps/network/batch.hpp"

namespace macmi::maps {

class GroupMaps;

/// All feature maps f_1 … f_m, with parameters loaded. Not for several threads at once.
class FeatureMaps {
 public:
  explicit FeatureMaps(const Architecture& architecture);
  ~FeatureMaps();
  FeatureMaps(FeatureMaps&&) noexcept;

  std::size_t columns() const { return columns_; }
  /// The map columns of feature f: first_column()[f] … first_column()[f + 1] − 1.
  std::span<const std::size_t> first_column() const { return first_column_; }

  /// Threads for kernels that can use them (0 = every core); results do not depend on it.
  void set_threads(std::size_t threads);
  /// Takes the parameters of a whole model; they must outlive what follows.
  void load(std::span<const float> parameters);

  /// The maps of some samples, [rows][columns]. `keep`: a backward pass follows.
  void forward(const NetworkSamples& samples, std::span<const std::uint32_t> rows, float* maps, bool keep);
  /// From the gradient with respect to the maps of the last forward pass to that of the maps' parameters, written into
  /// the places that they have in `gradient`.
  void backward(const NetworkSamples& samples, std::span<const std::uint32_t> rows, const float* maps_gradient,
                std::span<float> gradient);

 private:
  /// A group, and where its features, columns and parameters begin.
  struct Group {
    std::unique_ptr<GroupMaps> maps;
    std::size_t feature = 0, column = 0, parameter = 0;
  };
  std::size_t columns_ = 0;
  bool scaled_ = false;
  std::vector<std::size_t> first_column_;
  std::vector<Group> groups_;
};

}  // namespace macmi::maps
