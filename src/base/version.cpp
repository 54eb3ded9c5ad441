#include "macmi/version.hpp"

#include <version>

#include "base/results_version.hpp"

#define MACMI_RESULTS "results 10"

namespace macmi {

const char* version() {
  return MACMI_VERSION;
}

}  // namespace macmi

namespace macmi::base {

const char* results_version() {
#ifdef _LIBCPP_VERSION
  // Builds with LLVM's C++ library draw other permutations than builds with GCC's: their tests are not to be mixed.
  return MACMI_VERSION " (" MACMI_RESULTS ", libc++)";
#else
  return MACMI_VERSION " (" MACMI_RESULTS ")";
#endif
}

}  // namespace macmi::base
