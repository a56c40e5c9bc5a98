// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A linear system over all ranks: each assembles its owned rows, and hypre has a copy of them.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/rows.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/types.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed {

/// The system of a space on a rank's local mesh, and its owned rows as a matrix and a vector of hypre's.
///
/// Strategies plan for `local().graph()` and assemble into `local()`, as for a mesh of one rank. hypre splits
/// rows by the ranks of their columns, so that it cannot view ours: `refill` copies values to places that are
/// known from the beginning, in one kernel. Rows of ghosts are computed in vain.
///
/// hypre is initialized by the first system, if the application has not. Systems and solvers must be gone
/// before `HYPRE_Finalize` and `MPI_Finalize`.
///
/// Copies share everything.
template <class ExecutionSpace>
class HypreSystem {
public:
  using Local = tessera::LinearSystem<double, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// Collective: numbers equations, makes the graph, hypre's matrix, and the places of its entries. Values
  /// are zero.
  /// \throws on every rank what `check_constraints` throws; UnsupportedError if hypre's numbers cannot count
  ///   the equations or a rank's entries; OutOfMemoryError; SolverError with hypre's words
  template <class Cells>
  HypreSystem(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
              const SpaceOn<Cells, ExecutionSpace>& space)
      : ranks_(initialized(mesh)), global_nodes_(mesh.global_nodes()),
        equations_(contiguous_equations(exec, mesh, space)),
        local_(agree(ranks_, [&] { return Local(exec, space); })), rows_(exec, ranks_, local_, equations_),
        rhs_(ranks_, detail::HypreRange(equations_)) {}

  /// The same on the default instance.
  template <class Cells>
  HypreSystem(const Mesh<Cells, ExecutionSpace>& mesh, const SpaceOn<Cells, ExecutionSpace>& space)
      : HypreSystem(default_instance<ExecutionSpace>(), mesh, space) {}

  /// What strategies assemble into: the rows of all local nodes, those of ghosts incomplete.
  const Local& local() const { return local_; }
  /// A communicator for hypre's messages alone.
  const Communicator& ranks() const { return ranks_; }
  /// Rank by rank in either treatment of constraints.
  const GlobalEquations& equations() const { return equations_; }
  /// Global number of each local node.
  const Kokkos::View<const GlobalOrdinal*, Kokkos::HostSpace>& global_nodes() const { return global_nodes_; }

  /// Gives hypre the values of `local()`, matrix and right-hand side: once after each assembly. No messages
  /// and no memory; where hypre does not share the space's memory, through a copy that is kept.
  void refill(const ExecutionSpace& exec) const {
    rows_.take(exec, local_);
    rhs_.take(exec, local_.rhs());
  }
  /// The same on the default instance.
  void refill() const { refill(default_instance<ExecutionSpace>()); }

  /// The owned rows, as `refill` left them.
  HYPRE_ParCSRMatrix matrix() const { return rows_.get(); }
  /// The owned right-hand side, as `matrix()`.
  HYPRE_ParVector rhs() const { return rhs_.get(); }
  /// The arrays of `matrix()` and `rhs()`, for the headers of this folder.
  const detail::HypreRows<ExecutionSpace>& hypre_rows() const { return rows_; }
  const detail::HypreVector<ExecutionSpace>& hypre_rhs() const { return rhs_; }

  /// A vector of the local equations, zero: no messages. \throws OutOfMemoryError
  Vector make_vector(const ExecutionSpace& exec,
                     const std::string& label = "Tessera::HypreSystem::vector") const {
    const auto vector = allocate_zeroed<Vector>(exec, label, local_.num_rows());
    exec.fence("Tessera::HypreSystem::make_vector");
    return vector;
  }
  /// The same on the default instance.
  Vector make_vector() const { return make_vector(default_instance<ExecutionSpace>()); }

private:
  template <class Cells>
  static Communicator initialized(const Mesh<Cells, ExecutionSpace>& mesh) {
    if (!HYPRE_Initialized()) initialize();
    return Communicator(mesh.ranks().application());
  }

  /// For the device that Kokkos has given the process.
  static void initialize() {
    HYPRE_Initialize();
#if defined(HYPRE_USING_GPU) && HYPRE_RELEASE_NUMBER >= 23100
    HYPRE_DeviceInitialize(); // before, HYPRE_Initialize did it
#endif
  }

  Communicator ranks_;
  Kokkos::View<const GlobalOrdinal*, Kokkos::HostSpace> global_nodes_;
  GlobalEquations equations_;
  Local local_;
  detail::HypreRows<ExecutionSpace> rows_;
  detail::HypreVector<ExecutionSpace> rhs_;
};

} // namespace tessera::distributed
