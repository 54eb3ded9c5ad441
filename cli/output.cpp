#include "verb.hpp"

namespace macmi::cli {

std::vector<Option> declare(Output& output) {
  return {
      {.name = "json",
       .field = &output.json,
       .meaning = "Print the result as JSON on standard output, and nothing else there"},
      {.name = "quiet", .field = &output.quiet, .meaning = "No progress and no remarks; errors still show"},
  };
}

}  // namespace macmi::cli
