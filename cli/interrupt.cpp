#include "interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace macmi::cli {
namespace {

constexpr int patience_in_ms = 1500, patience_of_launchers_in_ms = 600;

std::atomic<bool> interrupted = false;
int signals[2] = {-1, -1};  // a pipe: the handler may do little more than write to it

void send(char what) {
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(signals[1], &what, 1);
  errno = error;
}

void on_signal(int) {
  interrupted = true;
  send('i');
}

/// The next byte, or 0 when none came in time.
char receive(int timeout_in_ms) {
  pollfd wait = {signals[0], POLLIN, 0};
  int ready = 0;
  do ready = poll(&wait, 1, timeout_in_ms);
  while (ready < 0 && errno == EINTR);
  char what = 0;
  return ready > 0 && read(signals[0], &what, 1) == 1 ? what : 0;
}

}  // namespace

Interrupt::Interrupt(std::function<void()> last_words, InterruptedBy who)
    : who_(who), last_words_(std::move(last_words)) {
  interrupted = false;
  if (pipe2(signals, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  watcher_ = std::jthread([this] { watch(); });
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  if (who == InterruptedBy::launcher) sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  if (who_ == InterruptedBy::launcher) std::signal(SIGTERM, SIG_DFL);
  send('e');
  watcher_.join();
  close(signals[0]);
  close(signals[1]);
}

bool Interrupt::requested() {
  return interrupted;
}

void Interrupt::request() {
  on_signal(SIGINT);
}

void Interrupt::watch() const {
  if (receive(-1) != 'i') return;
  const bool by_hand = who_ == InterruptedBy::keyboard;
  if (receive(by_hand ? patience_in_ms : patience_of_launchers_in_ms) == 'e') return;
  last_words_();
  _exit(130);
}

}  // namespace macmi::cli
