#include "macmi/version.hpp"

namespace macmi {
const char* version() {
  return MACMI_VERSION;
}
}  // namespace macmi
