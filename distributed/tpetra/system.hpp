// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A linear system over all ranks: each assembles its owned rows, and Tpetra has them as its own.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/tpetra/maps.hpp>
#include <tessera/distributed/tpetra/types.hpp>
#include <tessera/distributed/tpetra/vector.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_RCP.hpp>
#include <memory>
#include <utility>

namespace tessera::distributed {

/// The system of a space on a rank's local mesh, and a `Tpetra::CrsMatrix` that views its owned rows.
///
/// Strategies plan for `local().graph()` and assemble into `local()`, as for a mesh of one rank. Owned
/// equations come first, so that their rows are a prefix of the local matrix and of the local right-hand
/// side; Tpetra's matrix and vector view that prefix and follow every assembly without a call, a message or a
/// copy. Rows of ghosts are computed in vain.
///
/// Copies share everything.
template <class ExecutionSpace>
class TpetraSystem {
public:
  using Types = TpetraTypes<ExecutionSpace>;
  using Local = tessera::LinearSystem<double, ExecutionSpace>;
  using Matrix = typename Types::Matrix;
  using Vector = typename Types::Vector;

  /// Collective: numbers equations, makes the graph, maps, the import, and Tpetra's matrix.
  /// \throws on every rank what `check_constraints` and `tpetra_maps` throw; OutOfMemoryError
  template <class Cells>
  TpetraSystem(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
               const SpaceOn<Cells, ExecutionSpace>& space)
      : ranks_(mesh.ranks()), equations_(global_equations(exec, mesh, space)),
        maps_(tpetra_maps<ExecutionSpace>(mesh.ranks(), equations_)),
        rhs_(agree(ranks_, [&] { return make_vector(exec, "Tessera::TpetraSystem::rhs"); })),
        local_(agree(ranks_,
                     [&] {
                       const auto graph = sparsity_graph(exec, space);
                       const auto values = allocate_zeroed<typename Local::Values>(
                           exec, "Tessera::TpetraSystem::values", graph.num_entries());
                       exec.fence("Tessera::TpetraSystem::TpetraSystem");
                       return Local(graph, values, rhs_.local);
                     })),
        matrix_(owned_rows()) {}

  /// The same on the default instance.
  template <class Cells>
  TpetraSystem(const Mesh<Cells, ExecutionSpace>& mesh, const SpaceOn<Cells, ExecutionSpace>& space)
      : TpetraSystem(default_instance<ExecutionSpace>(), mesh, space) {}

  /// What strategies assemble into: the rows of all local nodes, those of ghosts incomplete.
  const Local& local() const { return local_; }
  const Communicator& ranks() const { return ranks_; }
  const GlobalEquations& equations() const { return equations_; }
  const TpetraMaps<ExecutionSpace>& maps() const { return maps_; }

  /// The owned rows. Ask for it after each assembly on a device: the call tells Tpetra that the values there
  /// are the newer ones, so that who reads them on the host does not read older ones.
  Teuchos::RCP<Matrix> matrix() const {
    matrix_->getLocalMatrixDevice();
    return matrix_;
  }
  /// The owned right-hand side, as `matrix()`.
  Teuchos::RCP<Vector> rhs() const {
    rhs_.owned->getLocalViewDevice(Tpetra::Access::ReadWrite);
    return rhs_.owned;
  }

  /// A vector of the system's equations, zero: no messages. \throws OutOfMemoryError
  TpetraVector<ExecutionSpace> make_vector(const ExecutionSpace& exec,
                                           const std::string& label = "Tessera::TpetraSystem::vector") const {
    return tpetra_vector(exec, maps_, label);
  }
  /// The same on the default instance.
  TpetraVector<ExecutionSpace> make_vector() const { return make_vector(default_instance<ExecutionSpace>()); }

private:
  Teuchos::RCP<Matrix> owned_rows() const {
    using LocalMatrix = typename Matrix::local_matrix_device_type;
    const auto rows = to_size(equations_.owned);
    Offset entries = 0;
    if (rows > 0) Kokkos::deep_copy(entries, Kokkos::subview(local_.graph().row_map, rows));
    // Tpetra wants columns and values to end with the rows.
    const auto prefix = [](const auto& view, Offset end) {
      return Kokkos::subview(view, std::make_pair(Offset(0), end));
    };
    const LocalMatrix local("Tessera::TpetraSystem::owned_rows", equations_.owned,
                            static_cast<Ordinal>(equations_.numbers.extent(0)), entries,
                            prefix(local_.values(), entries), prefix(local_.graph().row_map, rows + 1),
                            prefix(local_.graph().columns, entries));
    return Teuchos::rcp(
        new Matrix(local, maps_.owned, maps_.local, maps_.owned, maps_.owned, maps_.import, Teuchos::null));
  }

  Communicator ranks_;
  GlobalEquations equations_;
  TpetraMaps<ExecutionSpace> maps_;
  TpetraVector<ExecutionSpace> rhs_;
  Local local_;
  Teuchos::RCP<Matrix> matrix_;
};

/// The same of a vector that Tpetra shares.
template <class Cells, class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace>
expand(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
       const SpaceOn<Cells, ExecutionSpace>& space, const TpetraVector<ExecutionSpace>& solution) {
  return expand(exec, mesh, space, solution.local);
}

} // namespace tessera::distributed
