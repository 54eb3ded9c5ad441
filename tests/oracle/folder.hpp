#pragma once

#include <string>

namespace macmi::oracle {

/// Where the values of other tools lie. The one file that knows is compiled again when a checkout moves, no other.
std::string folder();

}  // namespace macmi::oracle
