// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The ranks that share a mesh.

#include <memory>
#include <mpi.h>

namespace tessera::distributed {

/// An application's communicator, and a duplicate of it, so that no message of the library meets one of the
/// application's. Copies share the duplicate, which is freed with the last of them.
class Communicator {
public:
  /// Collective. \throws ArgumentError for MPI_COMM_NULL; Error unless MPI is initialized
  explicit Communicator(MPI_Comm application);

  int rank() const { return state_->rank; }
  int size() const { return state_->size; }
  /// The communicator that this one was made of.
  MPI_Comm application() const { return state_->application; }
  /// The library's own.
  MPI_Comm own() const { return state_->own; }
  /// A tag for a collective call of set-up, of two that take turns: no rank is two calls ahead of another.
  int set_up_tag() const { return state_->set_up_tag = 1 - state_->set_up_tag; }
  /// A tag for messages that may be under way during other calls: every rank takes the same, if all ask as
  /// often.
  int next_tag() const { return state_->tag = state_->tag < largest_tag ? state_->tag + 1 : 2; }

private:
  static constexpr int largest_tag = 32767; ///< that every MPI has

  struct State {
    MPI_Comm application = MPI_COMM_NULL, own = MPI_COMM_NULL;
    int rank = 0, size = 0, set_up_tag = 0, tag = 1;
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
  };
  std::shared_ptr<State> state_;
};

} // namespace tessera::distributed
