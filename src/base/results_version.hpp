#pragma once

namespace macmi::base {

/// The version, and a number that goes up whenever the same data, options and seed come to give other results. Work
/// that is kept for later (tests in a run, measurements, states of trainings) is used again only under the same.
const char* results_version();

}  // namespace macmi::base
