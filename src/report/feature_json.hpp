#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/selection.hpp"

namespace macmi::report {

/// A number of a result; null where there is none (NaN, infinite).
nlohmann::ordered_json number(double value);
double number(const nlohmann::ordered_json& json);

/// One entry of `features` in a result: the verdict and its evidence.
nlohmann::ordered_json feature_json(const FeatureVerdict& feature, const TargetSummary& target, bool second_pass);
FeatureVerdict get_feature(const nlohmann::ordered_json& json);

/// The list `test_log` of a result, one line per test: there may be thousands.
std::string log_text(const std::vector<UsedTest>& log);
UsedTest get_used_test(const nlohmann::ordered_json& json);

}  // namespace macmi::report
