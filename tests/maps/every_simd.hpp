#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "base/vector/simd.hpp"

namespace macmi::testing {

/// Calls body(name) with each of these instruction sets in force, and restores the best one whatever happens.
template <class Body>
void with_each(const std::vector<std::string>& targets, Body body) {
  struct Restore {
    ~Restore() { base::limit_simd(""); }
  } restore;
  for (const std::string& name : targets) {
    base::limit_simd(name);
    body(name);
  }
}

template <class Body>
void for_every_simd(Body body) {
  with_each(base::simd_targets(), body);
}

/// Instruction sets with a fused multiply-add of their own. The others emulate it and are some fifty times slower.
inline std::vector<std::string> fusing_targets() {
  std::vector<std::string> names;
  for (const std::string& name : base::simd_targets())
    if (name.starts_with("AVX")) names.push_back(name);
  return names;
}

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  static_assert(sizeof(a[0]) == sizeof(b[0]));
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(&a[0], &b[0], a.size() * sizeof(a[0])) == 0);
}

}  // namespace macmi::testing
