#pragma once
#include <filesystem>

namespace macmi::base {

/// The folder of the file that this code runs from: the program, or the shared library it was linked into (a Python
/// package's). Files that belong to macmi lie there or near. Empty when it is unknown.
std::filesystem::path code_folder();

}  // namespace macmi::base
