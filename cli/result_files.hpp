#pragma once
#include <string>

#include "macmi/options.hpp"

namespace macmi::cli {

/// The text of a result: a file that `macmi select --out FILE` or `--json` wrote, or of a finished run.
struct ResultText {
  std::string path;  ///< of the file itself
  std::string text;
};
ResultText read_result(const std::string& file_or_run);
/// The positional argument that names a result for read_result.
Option result_argument(std::string& file_or_run);

/// A path that cannot be written is known before the work is done. `option`: which one named it, for the message.
void expect_writable(const std::string& option, const std::string& path);

}  // namespace macmi::cli
