#include "cluster/mpi_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "base/files/opened_library.hpp"
#include "cluster/mpi/plugin.h"

namespace macmi::cluster {
namespace {

constexpr const char* file_name = "libmacmi-mpi.so";
constexpr const char* advice =
    "Build macmi where MPI is installed, or take the archive (docs/install.md) where Open MPI is";
constexpr std::size_t largest_message = std::numeric_limits<int>::max();  // counts of MPI-3

/// Where a rank runs.
struct Place {
  std::array<char, 64> host{};
  pid_t process = 0;
};

/// Opened for all: the parts that Open MPI opens itself look for its symbols there.
const base::OpenedLibrary& opened() {
  static const base::OpenedLibrary library = base::open_library(base::beside_the_code(file_name), true);
  return library;
}

const MacmiMpi& open_plugin() {
  const void* entry = opened().handle != nullptr ? dlsym(opened().handle, MACMI_MPI_ENTRY) : nullptr;
  if (entry != nullptr && static_cast<const MacmiMpi*>(entry)->version == MACMI_MPI_VERSION)
    return *static_cast<const MacmiMpi*>(entry);
  const std::string tried =
      opened().handle != nullptr ? "\n  " + opened().path + ": of another version of macmi" : opened().tried;
  throw InputError(fmt::format(
      "started as one of several ranks, but {} {}. {}, or set MACMI_MPI=off to run every rank for itself{}", file_name,
      tried.empty() ? "is not there: macmi was built without MPI" : "does not open:", advice, tried));
}

/// The launcher may have bound this process to one core; its threads and the processes that learn maps need more.
void unbind() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);  // the kernel keeps to what the job was given
}

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const Launch& launch) : mpi_(open_plugin()) {
    const bool unfit = mpi_.start(&rank_, &size_) != 0;
    if (size_ != launch.size || rank_ != launch.rank) {
      mpi_.finish();
      throw InputError(
          fmt::format("the ranks were started by another MPI than macmi was built with: {} ranks came up as "
                      "{}. Start them with mpirun of that MPI, or with srun --mpi=pmix",
                      launch.size, size_));
    }
    if (unfit)
      throw InputError("this MPI cannot be used from threads (MPI_THREAD_SERIALIZED): another build of it can");
    Place mine;
    gethostname(mine.host.data(), mine.host.size() - 1);
    mine.process = getpid();
    places_.resize(static_cast<std::size_t>(size_));
    mpi_.gather(&mine, sizeof mine, places_.data());
    // Containers may share a host name but not processes: only those that can be seen now can be missed later.
    for (const Place& place : places_)
      visible_.push_back(place.host == mine.host && (::kill(place.process, 0) == 0 || errno == EPERM));
    if (rank_ == 0) unbind();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, std::string_view bytes) override {
    if (bytes.size() > largest_message)
      throw InputError(
          fmt::format("{:.1f} GB are too much for one message between ranks; set MACMI_MPI=off to run on "
                      "one machine",
                      1e-9 * static_cast<double>(bytes.size())));
    mpi_.send(to, bytes.data(), bytes.size());
  }
  bool sending() const override { return mpi_.sending() != 0; }
  std::optional<Message> poll() override {
    Message message;
    const long size = mpi_.probe(&message.from);
    if (size < 0) return std::nullopt;
    message.bytes.resize(static_cast<std::size_t>(size));
    mpi_.receive(message.from, message.bytes.data(), message.bytes.size());
    return message;
  }
  std::string_view share(std::string_view bytes, std::size_t size) override {
    return {static_cast<const char*>(mpi_.share(bytes.data(), size)), size};
  }
  bool gone(int rank) const override {
    const auto r = static_cast<std::size_t>(rank);
    return visible_[r] && ::kill(places_[r].process, 0) != 0 && errno == ESRCH;
  }
  std::string name(int rank) const override {
    const Place& place = places_[static_cast<std::size_t>(rank)];
    return fmt::format("rank {} (process {} on {})", rank, place.process, place.host.data());
  }
  void finish() override { mpi_.finish(); }
  void abandon(int exit_code) override {
    mpi_.abandon(exit_code);
    ::_exit(exit_code);
  }

 private:
  const MacmiMpi& mpi_;
  int rank_ = 0, size_ = 1;
  std::vector<Place> places_;
  std::vector<bool> visible_;  ///< processes of this machine
};

}  // namespace

std::unique_ptr<Ranks> join_mpi(const Launch& launch) {
  return std::make_unique<MpiRanks>(launch);
}

base::LibraryState mpi_state() {
  return {.name = "MPI", .purpose = "several machines, under mpirun or srun", .path = opened().path, .advice = advice};
}

}  // namespace macmi::cluster
