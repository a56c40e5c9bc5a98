#pragma once

/// \file
/// The assembled system: graph, values, right-hand side.

#include <tessera/core/sparsity_graph.hpp>

#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#endif
#include <Kokkos_Core.hpp>

namespace tessera {

/// A sparse system K x = f on the device. Copies share their views.
///
/// \tparam Scalar float or double
template <class Scalar, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class LinearSystem {
public:
  using scalar_type = Scalar;
  using execution_space = ExecutionSpace;
  using Graph = SparsityGraph<ExecutionSpace>;
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Builds the graph of a space, and zero values and right-hand side.
  /// \throws OutOfMemoryError with the bytes wanted
  template <class Element>
  explicit LinearSystem(const FunctionSpace<Element, ExecutionSpace>& space,
                        const ExecutionSpace& exec = ExecutionSpace())
      : LinearSystem(sparsity_graph(exec, space), exec) {}

  /// Shares a graph; values and right-hand side are zero.
  explicit LinearSystem(const Graph& graph, const ExecutionSpace& exec = ExecutionSpace())
      : graph_(graph), values_(allocate<Values>(exec, "Tessera::LinearSystem::values", graph.num_entries())),
        rhs_(allocate<Values>(exec, "Tessera::LinearSystem::rhs", graph.num_rows())) {
    set_zero(exec);
    exec.fence("Tessera::LinearSystem::LinearSystem");
  }

  const Graph& graph() const { return graph_; }
  Ordinal num_rows() const { return graph_.num_rows(); }
  /// One value per entry of the graph.
  const Values& values() const { return values_; }
  /// One entry per equation.
  const Values& rhs() const { return rhs_; }

  void set_zero(const ExecutionSpace& exec) const {
    Kokkos::deep_copy(exec, values_, Scalar(0));
    Kokkos::deep_copy(exec, rhs_, Scalar(0));
  }

#ifdef TESSERA_HAVE_KOKKOSKERNELS
  using CrsMatrix = KokkosSparse::CrsMatrix<
      Scalar, Ordinal, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>, void, Offset>;

  /// The matrix as Kokkos Kernels sees it; shares values and graph.
  CrsMatrix matrix() const {
    return CrsMatrix("Tessera::LinearSystem::matrix", num_rows(), num_rows(), graph_.num_entries(), values_,
                     graph_.row_map, graph_.columns);
  }
#endif

private:
  Graph graph_;
  Values values_;
  Values rhs_;
};

} // namespace tessera
