#pragma once
#include <span>
#include <string>

#include "verb.hpp"

namespace macmi::cli {

/// Sets the verb's options from the words after it, and from the file of --config. False when --help was printed.
bool fill_options(const Verb& verb, std::span<const std::string> words);

/// The command that gives these options, ready to be pasted into a shell: those that differ from `defaults`, which
/// declares the same ones.
std::string command_text(const std::string& verb, const std::vector<Option>& given,
                         const std::vector<Option>& defaults);

}  // namespace macmi::cli
