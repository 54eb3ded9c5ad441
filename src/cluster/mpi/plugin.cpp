// libmacmi-mpi.so: the functions of plugin.h over MPI-3. Errors inside MPI end all ranks, as is MPI's custom.
#include "cluster/mpi/plugin.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <vector>

namespace {

constexpr int tag = 1;
constexpr std::size_t largest_piece = std::size_t{1} << 30;  // counts of MPI-3 are int

struct Sending {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};
std::list<Sending> under_way;
std::vector<MPI_Win> windows;
std::vector<void*> copies;

void forget_sent() {
  std::erase_if(under_way, [](Sending& sending) {
    int done = 0;
    MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

int start(int* rank, int* size) {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return given < MPI_THREAD_SERIALIZED;
}

void gather(const void* mine, size_t size, void* all) {
  MPI_Allgather(mine, static_cast<int>(size), MPI_BYTE, all, static_cast<int>(size), MPI_BYTE, MPI_COMM_WORLD);
}

void send(int to, const void* bytes, size_t size) {
  forget_sent();
  const char* begin = static_cast<const char*>(bytes);
  Sending& sending = under_way.emplace_back();
  sending.bytes.assign(begin, begin + size);
  MPI_Isend(sending.bytes.data(), static_cast<int>(size), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending.request);
}

int sending() {
  forget_sent();
  return static_cast<int>(under_way.size());
}

long probe(int* from) {
  forget_sent();
  int there = 0, size = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (!there) return -1;
  MPI_Get_count(&status, MPI_BYTE, &size);
  *from = status.MPI_SOURCE;
  return size;
}

void receive(int from, void* bytes, size_t size) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Memory that all ranks of a node see, or nothing where the machine has no room for it (/dev/shm in a container).
void* shared_memory(MPI_Comm node, int node_rank, size_t size) {
  MPI_Win window = MPI_WIN_NULL;
  void* memory = nullptr;
  MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
  const MPI_Aint mine = node_rank == 0 ? static_cast<MPI_Aint>(size) : 0;
  int good = MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, node, &memory, &window) == MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!good) return nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  windows.push_back(window);
  return memory;
}

void broadcast(char* bytes, size_t size, MPI_Comm ranks) {
  for (size_t at = 0; at < size; at += largest_piece)
    MPI_Bcast(bytes + at, static_cast<int>(std::min(largest_piece, size - at)), MPI_BYTE, 0, ranks);
}

const void* share(const void* bytes, size_t size) {
  int rank = 0, node_rank = 0;
  MPI_Comm node = MPI_COMM_NULL, leaders = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_split(MPI_COMM_WORLD, node_rank == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  void* memory = shared_memory(node, node_rank, size);
  if (memory != nullptr) {
    if (rank == 0) std::memcpy(memory, bytes, size);
    if (node_rank == 0) broadcast(static_cast<char*>(memory), size, leaders);
    MPI_Win_fence(0, windows.back());
  } else {
    memory = copies.emplace_back(std::aligned_alloc(64, (size + 63) / 64 * 64));
    if (memory == nullptr) {
      MPI_Abort(MPI_COMM_WORLD, 1);
      std::abort();  // MPI_Abort does not return; compilers do not know that
    }
    if (rank == 0) std::memcpy(memory, bytes, size);
    broadcast(static_cast<char*>(memory), size, MPI_COMM_WORLD);
  }
  if (leaders != MPI_COMM_NULL) MPI_Comm_free(&leaders);
  MPI_Comm_free(&node);
  return memory;
}

void finish() {
  for (Sending& sending : under_way) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
  under_way.clear();
  for (MPI_Win& window : windows) MPI_Win_free(&window);
  for (void* copy : copies) std::free(copy);
  MPI_Finalize();
}

void abandon(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const MacmiMpi macmi_mpi_functions = {
    MACMI_MPI_VERSION, start, gather, send, sending, probe, receive, share, finish, abandon};
