#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "macmi/select.hpp"

namespace macmi::select {

/// Compares a fresh predictor of the target on the selected features with one on all of them, cross-validated, on the
/// samples as they were read. The selection is not repeated: it has seen all samples. Series and targets of several
/// columns are left to `macmi evaluate`, which the remark says.
Sufficiency measure_sufficiency(const Dataset& data, const Selection& selection, std::size_t threads,
                                const std::function<bool()>& cancelled = {});

/// The area under the ROC curve of two scores, and the standard error of their difference (DeLong, DeLong &
/// Clarke-Pearson 1988), over units where there are some.
struct ComparedAreas {
  double first = 0, second = 0, error = 0;
};
ComparedAreas compare_areas(const std::vector<double>& first, const std::vector<double>& second,
                            const std::vector<bool>& positive, const std::vector<std::int32_t>& units = {});

}  // namespace macmi::select
