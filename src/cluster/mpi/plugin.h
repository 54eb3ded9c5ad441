/* What libmacmi-mpi.so offers: bytes over MPI, nothing of macmi. The program opens it only under mpirun or srun. */
#pragma once
#include <stddef.h>

#define MACMI_MPI_VERSION 2
#define MACMI_MPI_ENTRY "macmi_mpi_functions"

struct MacmiMpi {
  int version;
  /* 0: all is well; otherwise MPI cannot be used from a thread of its own. */
  int (*start)(int* rank, int* size);
  void (*gather)(const void* mine, size_t size, void* all); /* to every rank, in their order */
  void (*send)(int to, const void* bytes, size_t size);
  int (*sending)(void); /* messages still on their way */
  long (*probe)(int* from); /* the size of the next message, or -1 */
  void (*receive)(int from, void* bytes, size_t size);
  const void* (*share)(const void* bytes, size_t size);
  void (*finish)(void);
  void (*abandon)(int code);
};
