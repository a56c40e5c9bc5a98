// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/communicator.hpp>

namespace tessera::distributed {

Communicator::Communicator(MPI_Comm application) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    throw Error("MPI is not initialized: meshes of several ranks live between MPI_Init and MPI_Finalize");
  if (application == MPI_COMM_NULL)
    throw ArgumentError("Communicator: MPI_COMM_NULL; only ranks of the communicator make the mesh");
  state_ = std::make_shared<State>();
  state_->application = application;
  MPI_Comm_dup(application, &state_->own);
  MPI_Comm_rank(state_->own, &state_->rank);
  MPI_Comm_size(state_->own, &state_->size);
}

Communicator::State::~State() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && own != MPI_COMM_NULL) MPI_Comm_free(&own);
}

} // namespace tessera::distributed
