#pragma once
#include <string>
#include <vector>

namespace macmi::data {

/// The name itself, or a glob (* ? [a-z]) that fits it.
bool name_matches(const std::string& pattern, const std::string& name);

/// InputError: there is no `what` of this name, with the nearest of `known`, and how to quote a name with commas.
[[noreturn]] void refuse_unknown(const std::string& source, const std::string& what, const std::string& name,
                                 const std::vector<std::string>& known);

}  // namespace macmi::data
