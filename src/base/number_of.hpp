#pragma once
#include <cstddef>
#include <string>

namespace macmi::base {

/// "1 sample", "3 samples"; `many` is for nouns that do not end in s: number_of(n, "child", "children").
std::string number_of(std::size_t n, const std::string& one, const std::string& many = {});

}  // namespace macmi::base
