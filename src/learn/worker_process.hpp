#pragma once
#include <functional>
#include <string>
#include <vector>

#include "macmi/maps.hpp"

namespace macmi {

/// The linear algebra kernels OpenBLAS shall use on this CPU ("SkylakeX", "Haswell"); empty: its own choice. The
/// packaged version does not know newer CPUs and would fall back to kernels many times slower.
std::string blas_kernels();

/// Runs macmi-maps on a job and waits for it. Each line it says goes to `on_line`; `keep_going` is asked several times
/// a second. Throws InputError (it refused the job), Cancelled (keep_going said no), Error (it failed or was ended).
/// The process does not outlive this one.
void run_worker(const std::string& job, const std::string& folder, std::size_t processes,
                const std::function<void(const std::string& line)>& on_line, const std::function<bool()>& keep_going);

/// What macmi-maps is told on its command line (src/maps/main.cpp).
struct WorkerOrder {
  std::string job, folder;
  std::vector<std::string> how;
  std::function<void()> on_wait = {};  ///< it waits until this has returned
};
void run_worker(const WorkerOrder& order, const std::function<void(const std::string& line)>& on_line,
                const std::function<bool()>& keep_going);

/// A folder of its own, removed in the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace macmi
