#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace macmi {

/// A picture of what a feature map has learned: where it sends the samples, beside their targets.
struct MapPicture {
  std::string feature;
  std::vector<std::vector<double>> coordinates;  ///< map-dim vectors of one number per sample shown
  std::vector<double> target;                    ///< of the same samples; codes when `classes` is not empty
  std::vector<std::string> classes;              ///< of a categorical target, by code

  /// The surrogate's mean (the probability of class 1 for two classes) over the first two coordinates.
  struct Surface {
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    std::size_t columns = 0, rows = 0;
    std::vector<double> mean;  ///< row after row, from y_low upwards
  };
  std::optional<Surface> surface;
};

/// The course of one training.
struct TrainingCurve {
  std::string label;               ///< "fold 1"
  std::vector<double> epochs;      ///< after which the values below were taken, from 1
  std::vector<double> training;    ///< mean log-likelihood of that epoch's samples, nats per sample
  std::vector<double> validation;  ///< the same on held-out samples; empty if there were none
  double kept = 0;                 ///< the epoch whose weights were kept; 0: the last
};

}  // namespace macmi
