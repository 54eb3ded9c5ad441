#include "oracle/folder.hpp"

namespace macmi::oracle {

std::string folder() {
  return MACMI_ORACLE_DIR;
}

}  // namespace macmi::oracle
