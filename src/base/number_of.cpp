#include "base/number_of.hpp"

namespace macmi::base {

std::string number_of(std::size_t n, const std::string& one, const std::string& many) {
  if (n == 1) return "1 " + one;
  return std::to_string(n) + " " + (many.empty() ? one + "s" : many);
}

}  // namespace macmi::base
