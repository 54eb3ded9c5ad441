#include "watch.hpp"

#include <chrono>

namespace macmi::python {
namespace {

constexpr int milliseconds_between_looks = 50;

}  // namespace

bool Watch::report(std::size_t done, std::size_t total, const std::string& stage) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  total_ = total;
  stage_ = stage;
  news_ = true;
  return keep_going();
}

void Watch::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

bool Watch::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  if (milliseconds < 0)
    changed_.wait(lock, [this] { return finished_; });
  else
    changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return finished_; });
  return finished_;
}

void Watch::look_after_python(const py::object& progress) {
  const auto tell = [&] {
    std::unique_lock lock(mutex_);
    if (progress.is_none() || !std::exchange(news_, false)) return;
    const auto [done, total, stage] = std::tuple(done_, total_, stage_);
    lock.unlock();
    progress(done, total, stage);
  };
  try {
    for (bool finished = false; !finished;) {
      {
        const py::gil_scoped_release release;
        finished = wait(milliseconds_between_looks);
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      tell();
    }
  } catch (...) {
    stopped_ = true;
    const py::gil_scoped_release release;
    wait(-1);
    throw;
  }
}

}  // namespace macmi::python
