#pragma once
#include <functional>
#include <thread>

namespace macmi::cli {

enum class InterruptedBy {
  keyboard,  ///< Ctrl-C
  launcher,  ///< mpirun, srun: SIGTERM, too, and SIGKILL a second later
};

/// Ctrl-C while work is under way. The work sees `requested()` and ends in order; where it does not within a second and
/// a half, or at a second Ctrl-C, the process ends there and then with exit code 130: whatever is stored is whole. One
/// at a time.
class Interrupt {
 public:
  /// `last_words` is called before the process ends without having stopped.
  explicit Interrupt(std::function<void()> last_words, InterruptedBy who = InterruptedBy::keyboard);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// From any thread.
  static bool requested();
  /// As if Ctrl-C had been pressed.
  static void request();

 private:
  void watch() const;
  InterruptedBy who_;
  std::function<void()> last_words_;
  std::jthread watcher_;
};

}  // namespace macmi::cli
