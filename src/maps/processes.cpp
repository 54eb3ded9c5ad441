#include "maps/processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <map>

#include "macmi/error.hpp"

namespace macmi {
namespace {

/// What a failed task says goes through a pipe, at most this long.
constexpr std::size_t longest_message = 4000;

[[noreturn]] void be_the_task(const std::function<void()>& task, int report, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before the line above
  int status = 0;
  try {
    task();
  } catch (const std::exception& error) {
    const std::string what = std::string(error.what()).substr(0, longest_message);
    status = ::write(report, what.data(), what.size()) < 0 ? 3 : 2;
  }
  ::_exit(status);
}

struct Child {
  int report = -1;
};

std::string outcome(int status, int report) {
  if (WIFSIGNALED(status))
    return fmt::format("a training process was ended by signal {} ({}){}", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)),
                       WTERMSIG(status) == SIGKILL ? "; if nobody ended it, the machine may be out of memory" : "");
  std::string what(longest_message, '\0');
  const ssize_t length = ::read(report, what.data(), what.size());
  what.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return what.empty() ? fmt::format("a training process failed with status {}", WEXITSTATUS(status)) : what;
}

/// Ends and reaps what still runs, whatever happens.
class Children {
 public:
  ~Children() {
    for (const auto& [pid, child] : running_) ::kill(pid, SIGKILL);
    for (const auto& [pid, child] : running_) {
      ::waitpid(pid, nullptr, 0);
      ::close(child.report);
    }
  }
  std::size_t size() const { return running_.size(); }
  void start(const std::function<void()>& task) {
    int ends[2];
    if (::pipe(ends) != 0) throw Error("no pipe to a training process");
    const pid_t parent = ::getpid(), pid = ::fork();
    if (pid < 0) throw Error(fmt::format("a training process cannot be started: {}", std::strerror(errno)));
    if (pid == 0) be_the_task(task, ends[1], parent);
    ::close(ends[1]);
    running_[pid] = {ends[0]};
  }
  void wait_for_one() {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    const auto at = running_.find(pid);
    if (at == running_.end()) return;
    const int report = at->second.report;
    running_.erase(at);
    const std::string failure = status == 0 ? std::string() : outcome(status, report);
    ::close(report);
    if (!failure.empty()) throw Error(failure);
  }

 private:
  std::map<pid_t, Child> running_;
};

}  // namespace

void run_in_processes(const std::vector<std::function<void()>>& tasks, std::size_t at_once) {
  Children children;
  for (const auto& task : tasks) {
    while (children.size() >= std::max<std::size_t>(1, at_once)) children.wait_for_one();
    children.start(task);
  }
  while (children.size() > 0) children.wait_for_one();
}

}  // namespace macmi
