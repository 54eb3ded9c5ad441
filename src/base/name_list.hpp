#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace macmi::base {

/// A list as users write it: names separated by commas; a name with a comma or a quote in it in double quotes, quotes
/// inside doubled, as in CSV: a,"b,c","5"" disk". Empty names are skipped.
std::vector<std::string> split_names(std::string_view text);
/// The text that split_names turns back into these names.
std::string join_names(const std::vector<std::string>& names);

}  // namespace macmi::base
