#pragma once
#include <span>
#include <string>

#include "verb.hpp"

namespace macmi::cli {

/// Sets the verb's options from the words after it, and from the file of --config. False when --help was printed.
bool fill_options(const Verb& verb, std::span<const std::string> words);

}  // namespace macmi::cli
