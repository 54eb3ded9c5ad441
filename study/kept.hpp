#pragma once
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace macmi::study {

/// Measurements of a long study in a file, a line each, until all are there: an interrupted study goes on, and parts of
/// it may be measured by several calls.
class Kept {
 public:
  explicit Kept(std::string path) : path_(std::move(path)) {}

  /// The text kept under `key` (without ';'), or what `measure` gives, which is then kept.
  std::string get(const std::string& key, const std::function<std::string()>& measure) const {
    const std::map<std::string, std::string> known = read();
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const std::string text = measure();
    std::ofstream(path_, std::ios::app) << key + ';' + text + '\n';
    return text;
  }
  std::map<std::string, std::string> read() const {
    std::map<std::string, std::string> known;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
      if (const std::size_t end = line.find(';'); end != std::string::npos)
        known[line.substr(0, end)] = line.substr(end + 1);
    return known;
  }
  void remove() const { std::remove(path_.c_str()); }

 private:
  std::string path_;
};

}  // namespace macmi::study
