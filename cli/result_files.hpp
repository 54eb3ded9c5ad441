#pragma once
#include <fstream>
#include <string>

namespace macmi::cli {

/// The text of a result: a file that `macmi select --out FILE` or `--json` wrote, or a run's folder with `result.json`.
struct ResultText {
  std::string path;  ///< of the file itself
  std::string text;
};
ResultText read_result(const std::string& file_or_run);

/// A file that is there whole or not at all. Opened at once, so that a path that cannot be written is known before the
/// work is done.
class ResultFile {
 public:
  /// `option`: which one named the file, for the message.
  ResultFile(std::string option, std::string path);
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  ~ResultFile();
  void finish(const std::string& text);

 private:
  [[noreturn]] void refuse() const;
  std::string option_, path_, unfinished_;
  std::ofstream file_;
};

}  // namespace macmi::cli
