#include "macmi/version.hpp"

#include "base/results_version.hpp"

namespace macmi {

const char* version() {
  return MACMI_VERSION;
}

const char* results_version() {
  return MACMI_VERSION " (results 6)";
}

}  // namespace macmi
