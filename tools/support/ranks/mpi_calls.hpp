// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program asks of MPI, by MPI's profiling interface: included by one source of a program, it counts
// the calls of all of them and of the libraries.

#include <cstdint>
#include <mpi.h>
#include <ostream>

namespace tessera::tools {

/// Calls of one rank.
struct MpiCalls {
  std::int64_t messages = 0, message_bytes = 0;
  std::int64_t collectives = 0, collective_bytes = 0; ///< bytes that the rank hands over

  friend MpiCalls operator-(const MpiCalls& a, const MpiCalls& b) {
    return {.messages = a.messages - b.messages,
            .message_bytes = a.message_bytes - b.message_bytes,
            .collectives = a.collectives - b.collectives,
            .collective_bytes = a.collective_bytes - b.collective_bytes};
  }
  friend std::ostream& operator<<(std::ostream& out, const MpiCalls& calls) {
    return out << calls.messages << " messages of " << calls.message_bytes << " bytes, " << calls.collectives
               << " collectives of " << calls.collective_bytes;
  }
};

inline MpiCalls& mpi_calls() {
  static MpiCalls calls;
  return calls;
}

/// The calls of an action on this rank.
template <class Action>
MpiCalls mpi_calls_of(const Action& action) {
  const MpiCalls before = mpi_calls();
  action();
  return mpi_calls() - before;
}

namespace detail {

inline std::int64_t bytes(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::int64_t(count) * size;
}

inline void count_message(int count, MPI_Datatype type) {
  ++mpi_calls().messages;
  mpi_calls().message_bytes += bytes(count, type);
}

inline void count_collective(int count, MPI_Datatype type) {
  ++mpi_calls().collectives;
  mpi_calls().collective_bytes += bytes(count, type);
}

} // namespace detail

} // namespace tessera::tools

extern "C" {

#define TESSERA_COUNT_SEND(name)                                                                             \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {           \
    tessera::tools::detail::count_message(count, type);                                                      \
    return PMPI_##name(data, count, type, to, tag, comm);                                                    \
  }
#define TESSERA_COUNT_ISEND(name)                                                                            \
  int MPI_##name(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,             \
                 MPI_Request* request) {                                                                     \
    tessera::tools::detail::count_message(count, type);                                                      \
    return PMPI_##name(data, count, type, to, tag, comm, request);                                           \
  }
#define TESSERA_COUNT_SCAN(name)                                                                             \
  int MPI_##name(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {       \
    tessera::tools::detail::count_collective(count, type);                                                   \
    return PMPI_##name(from, to, count, type, op, comm);                                                     \
  }
#define TESSERA_COUNT_GATHER(name)                                                                           \
  int MPI_##name(const void* from, int count, MPI_Datatype type, void* to, int to_count,                     \
                 MPI_Datatype to_type, MPI_Comm comm) {                                                      \
    tessera::tools::detail::count_collective(count, type);                                                   \
    return PMPI_##name(from, count, type, to, to_count, to_type, comm);                                      \
  }

TESSERA_COUNT_SEND(Send)
TESSERA_COUNT_SEND(Ssend)
TESSERA_COUNT_SEND(Rsend)
TESSERA_COUNT_ISEND(Isend)
TESSERA_COUNT_ISEND(Issend)
TESSERA_COUNT_ISEND(Irsend)
TESSERA_COUNT_SCAN(Allreduce)
TESSERA_COUNT_SCAN(Scan)
TESSERA_COUNT_SCAN(Exscan)
TESSERA_COUNT_GATHER(Allgather)
TESSERA_COUNT_GATHER(Alltoall)

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  tessera::tools::detail::count_collective(count, type);
  return PMPI_Reduce(from, to, count, type, op, root, comm);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  tessera::tools::detail::count_collective(count, type);
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  tessera::tools::detail::count_collective(count, type);
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Barrier(MPI_Comm comm) {
  tessera::tools::detail::count_collective(0, MPI_BYTE);
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  tessera::tools::detail::count_collective(0, MPI_BYTE);
  return PMPI_Ibarrier(comm, request);
}

#undef TESSERA_COUNT_SEND
#undef TESSERA_COUNT_ISEND
#undef TESSERA_COUNT_SCAN
#undef TESSERA_COUNT_GATHER
}
