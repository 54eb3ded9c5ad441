// macmi doctor: what this program was built with and what it finds on this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "base/vector/simd.hpp"
#include "macmi/maps.hpp"
#include "macmi/version.hpp"
#include "verb.hpp"

namespace macmi::cli {

Verb doctor_verb() {
  auto output = std::make_shared<Output>();
  return {.name = "doctor",
          .summary = "Show versions, CPU features and what is missing",
          .details = {},
          .positional = {},
          .options = {{.name = "json", .field = &output->json, .meaning = "As JSON"}},
          .examples = {"macmi doctor", "MACMI_SIMD=SSE4 macmi doctor --json"},
          .run = [output] {
            const auto targets = simd_targets();
            const std::size_t cores = thread_count(0);
            if (output->json) {
              const nlohmann::ordered_json json = {
                  {"version", version()}, {"compiler", __VERSION__}, {"cores", cores}, {"simd", targets}};
              fmt::print("{}\n", json.dump(2));
              return;
            }
            fmt::print("macmi {}, compiled by GCC {}\n", version(), __VERSION__);
            fmt::print("cores: {}\n", cores);
            fmt::print("vector instructions: {} (best first; MACMI_SIMD=NAME limits)\n", fmt::join(targets, ", "));
          }};
}

}  // namespace macmi::cli
