#pragma once

#include <string>
#include <vector>

namespace macmi::cli {

/// `macmi WORDS…`: runs a verb, prints, and gives the exit code. The program and the Python package's command call it.
int run_program(const std::vector<std::string>& words);

}  // namespace macmi::cli
