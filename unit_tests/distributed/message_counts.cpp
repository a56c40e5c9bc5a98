// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/message_counts.hpp"

#include <mpi.h>

namespace tessera::test {

MessageCounts& message_counts() {
  static MessageCounts counts;
  return counts;
}

} // namespace tessera::test

using tessera::test::message_counts;

// These stand before MPI's own functions, which have a second name each.
extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++message_counts().sends;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  ++message_counts().sends;
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++message_counts().receives;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  ++message_counts().receives;
  return PMPI_Mrecv(data, count, type, message, status);
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++message_counts().collectives;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int from, MPI_Comm comm) {
  ++message_counts().collectives;
  return PMPI_Bcast(data, count, type, from, comm);
}
int MPI_Barrier(MPI_Comm comm) {
  ++message_counts().collectives;
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++message_counts().collectives;
  return PMPI_Ibarrier(comm, request);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  ++message_counts().communicators;
  return PMPI_Comm_dup(comm, copy);
}

} // extern "C"
