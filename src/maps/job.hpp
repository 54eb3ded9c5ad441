#pragma once
#include <functional>
#include <string>

#include "learn/array_file.hpp"

namespace macmi {

/// One order from the program that runs us: "train", "map" or "gains" (src/learn/job.hpp tells what is in the file).
/// Results go into files of `folder`. `say` hands a line of progress to the other side.
struct JobContext {
  std::string folder;
  std::size_t processes = 1;
  std::function<void(const std::string& line)> say;
};
void run_job(const ArrayFile& job, const JobContext& context);

}  // namespace macmi
