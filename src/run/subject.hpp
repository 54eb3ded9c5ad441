#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/run.hpp"

namespace macmi::run {

/// The name under which the version of macmi stands among the test options: another version may test otherwise.
inline constexpr const char* made_by = "macmi";

/// The data, the seed and the test options in one number: a stored test is used where it is the same.
std::uint64_t test_context(const RunSubject& subject);

/// The difference between the data (or the seed) of two subjects, in words; empty where they agree.
std::vector<std::string> differences(const RunSubject& stored, const RunSubject& now);

/// "--k was auto and is 5", for every option that differs.
std::vector<std::string> option_differences(const OptionTexts& stored, const OptionTexts& now);

}  // namespace macmi::run
