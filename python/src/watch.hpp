#pragma once
// Long calls: the work on a thread of its own without the GIL, while the calling thread looks after Python.
#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

namespace macmi::python {

namespace py = pybind11;

/// The link between the work and Python. Its members may be called from any thread, without the GIL.
class Watch {
 public:
  /// Asked many times by long work; false: stop with Cancelled.
  bool keep_going() const { return !stopped_; }
  /// Where the work is; Python hears of the latest only, a few times a second. The value of keep_going().
  bool report(std::size_t done, std::size_t total, const std::string& stage);

 private:
  template <class Work>
  friend auto watched(const py::object& progress, Work work);

  /// Returns when the work is finished. Signals and `progress` (a callable of done, total, stage, or None) are dealt
  /// with meanwhile; an exception of theirs stops the work and is thrown on.
  void look_after_python(const py::object& progress);
  void finish();
  bool wait(int milliseconds);  ///< negative: to the end

  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false, news_ = false;
  std::size_t done_ = 0, total_ = 0;
  std::string stage_;
};

/// The result of work(watch). Ctrl-C ends it with KeyboardInterrupt. Called with the GIL.
template <class Work>
auto watched(const py::object& progress, Work work) {
  Watch watch;
  std::optional<std::invoke_result_t<Work, Watch&>> result;
  std::exception_ptr failure;
  {
    std::jthread worker([&] {
      try {
        result.emplace(work(watch));
      } catch (...) {
        failure = std::current_exception();
      }
      watch.finish();
    });
    watch.look_after_python(progress);  // when it throws the work is finished, too
  }
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace macmi::python
