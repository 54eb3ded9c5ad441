#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "macmi/select.hpp"

namespace macmi {

/// What a process that sees packed samples cannot see in them.
struct PackedFrom {
  bool maps = false;  ///< learned maps, not samples as they are
  bool categorical_target = false;
  bool folded = false;  ///< maps learned on other samples than they are tested on
};

/// The samples of a test that make_dataset_test or make_map_test made, for make_packed_test in another process.
std::string pack_samples(const TargetCiTest& test);

/// The same test in another process: the same bits, given the same options. The bytes must begin at a multiple of 8 and
/// outlive it; they are not copied.
std::unique_ptr<TargetCiTest> make_packed_test(std::string_view packed, PackedFrom from, const SelectOptions& options,
                                               const std::function<bool()>& cancelled = {});

}  // namespace macmi
