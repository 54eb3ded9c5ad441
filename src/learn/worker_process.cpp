#include "learn/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/code_folder.hpp"
#include "macmi/error.hpp"

extern char** environ;

namespace macmi {
namespace {

constexpr int poll_milliseconds = 200;

std::vector<std::string> worker_environment() {
  std::vector<std::string> all;
  const std::vector<std::pair<std::string, std::string>> ours = {
      {"OPENBLAS_NUM_THREADS", "1"}, {"OMP_NUM_THREADS", "1"}, {"OPENBLAS_CORETYPE", blas_kernels()}};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool kept = true;
    for (const auto& [name, value] : ours)
      kept = kept && std::strncmp(*entry, (name + "=").c_str(), name.size() + 1) != 0;
    if (kept) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : ours)
    if (!value.empty()) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

/// A child with its output in a pipe; ended and reaped in the end.
class Worker {
 public:
  Worker(std::vector<std::string> arguments, std::vector<std::string> environment) {
    std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
    int ends[2], answers[2];
    if (::pipe2(ends, O_CLOEXEC) != 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers) != 0)
      throw Error("no pipe to macmi-maps");
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw Error(fmt::format("macmi-maps cannot be started: {}", std::strerror(errno)));
    if (pid_ == 0) {  // only async-signal-safe calls from here on
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(answers[0], STDIN_FILENO);
      ::execve(argv[0], argv.data(), envp.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    ::close(answers[0]);
    output_ = ends[0];
    input_ = answers[1];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) wait();
    ::close(output_);
    ::close(input_);
  }
  /// One that has died meanwhile does not hear it; its end is noticed where it is waited for.
  void let_go_on() const { ::send(input_, "\n", 1, MSG_NOSIGNAL); }

  /// What it said since the last call; false at its end.
  bool read(std::string& text) const {
    pollfd waiting{output_, POLLIN, 0};
    if (::poll(&waiting, 1, poll_milliseconds) <= 0) return true;
    char buffer[4096];
    const ssize_t length = ::read(output_, buffer, sizeof buffer);
    if (length < 0) return errno == EINTR;
    text.append(buffer, static_cast<std::size_t>(length));
    return length > 0;
  }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1, input_ = -1;
};

}  // namespace

std::string maps_program() {
  if (const char* told = std::getenv("MACMI_MAPS_PROGRAM")) return told;
  std::error_code none;
  const std::filesystem::path folder = code_folder();
  for (const auto& place : {folder / "macmi-maps", folder / "../libexec/macmi/macmi-maps"})
    if (std::filesystem::exists(place, none)) return place.string();
  return {};
}

std::string blas_kernels() {
  if (const char* told = std::getenv("OPENBLAS_CORETYPE")) return told;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return {};
}

std::string require_maps_program() {
  std::string program = maps_program();
  if (program.empty() || ::access(program.c_str(), X_OK) != 0)
    throw InputError(
        fmt::format("the program macmi-maps, which learns feature maps, {}; it is built where LibTorch is "
                    "installed. --maps none works without it, on the features as they are",
                    program.empty() ? "is not there" : fmt::format("cannot be run: {}", program)));
  return program;
}

void run_worker(const std::string& job, const std::string& folder, std::size_t processes,
                const std::function<void(const std::string& line)>& on_line, const std::function<bool()>& keep_going) {
  run_worker({job, folder, {std::to_string(processes)}}, on_line, keep_going);
}

void run_worker(const WorkerOrder& order, const std::function<void(const std::string& line)>& on_line,
                const std::function<bool()>& keep_going) {
  std::vector<std::string> words = {require_maps_program(), order.job, order.folder};
  words.insert(words.end(), order.how.begin(), order.how.end());
  Worker worker(std::move(words), worker_environment());
  std::string text, refused, failed;
  const auto take_lines = [&] {
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      const std::string line = text.substr(0, end);
      if (line.starts_with("refused "))
        refused = line.substr(8);
      else if (line.starts_with("failed "))
        failed = line.substr(7);
      else if (line == "wait" && order.on_wait) {
        order.on_wait();
        worker.let_go_on();
      } else
        on_line(line);
    }
  };
  while (worker.read(text)) {
    take_lines();
    if (!keep_going()) throw Cancelled();
  }
  take_lines();
  const int status = worker.wait();
  if (!keep_going()) throw Cancelled();  // the same Ctrl-C may have ended it
  if (WIFSIGNALED(status))
    throw Error(fmt::format(
        "macmi-maps, the process that learns feature maps, was ended by signal {} ({}){}", WTERMSIG(status),
        ::strsignal(WTERMSIG(status)),
        WTERMSIG(status) == SIGKILL ? "; if nobody ended it, the machine may be out of memory: try --rows" : ""));
  if (!refused.empty()) throw InputError(refused);
  if (WEXITSTATUS(status) != 0)
    throw Error(fmt::format("macmi-maps, the process that learns feature maps, failed: {}",
                            failed.empty() ? fmt::format("status {}", WEXITSTATUS(status)) : failed));
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "macmi-maps-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw InputError(fmt::format("no scratch folder can be made in {}: {}",
                                 std::filesystem::temp_directory_path().string(), std::strerror(errno)));
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

}  // namespace macmi
