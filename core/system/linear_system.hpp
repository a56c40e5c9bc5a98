// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The assembled system: graph, values, right-hand side.

#include <tessera/core/system/sparsity_graph.hpp>

#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <KokkosSparse_CrsMatrix.hpp>
#endif
#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

template <class Values>
struct AddScaled {
  Values to, from;
  typename Values::value_type factor;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to(k) += factor * from(k); }
};

} // namespace detail

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

  /// Builds the graph of a `FunctionSpace` or a `MixedSpace`, and zero values and right-hand side.
  /// \throws OutOfMemoryError with the bytes wanted
  template <class Space>
    requires requires { typename Space::MeshType; }
  LinearSystem(const ExecutionSpace& exec, const Space& space)
      : LinearSystem(exec, sparsity_graph(exec, space)) {}
  /// The same on the default instance.
  template <class Space>
    requires requires { typename Space::MeshType; }
  explicit LinearSystem(const Space& space) : LinearSystem(default_instance<ExecutionSpace>(), space) {}

  /// Shares a graph; values and right-hand side are zero.
  LinearSystem(const ExecutionSpace& exec, const Graph& graph)
      : graph_(graph), values_(allocate<Values>(exec, "Tessera::LinearSystem::values", graph.num_entries())),
        rhs_(allocate<Values>(exec, "Tessera::LinearSystem::rhs", graph.num_rows())) {
    set_zero(exec);
    exec.fence("Tessera::LinearSystem::LinearSystem");
  }
  /// The same on the default instance.
  explicit LinearSystem(const Graph& graph) : LinearSystem(default_instance<ExecutionSpace>(), graph) {}

  /// Shares a graph and views of the application's, with whatever they hold: systems may have a matrix or a
  /// right-hand side in common.
  /// \throws ArgumentError unless there is a value for each entry of the graph and one for each row
  LinearSystem(const Graph& graph, const Values& values, const Values& rhs)
      : graph_(graph), values_(values), rhs_(rhs) {
    if (values.extent(0) != graph.num_entries() ||
        rhs.extent(0) != static_cast<std::size_t>(graph.num_rows()))
      throw ArgumentError("LinearSystem: " + std::to_string(values.extent(0)) + " values and " +
                          std::to_string(rhs.extent(0)) + " entries of the right-hand side for a graph of " +
                          std::to_string(graph.num_entries()) + " entries and " +
                          std::to_string(graph.num_rows()) + " rows");
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

  /// Adds `factor` times another system, matrix and right-hand side, on `exec`; without waiting for it. What
  /// is assembled by itself is added up so, as a mass matrix over a time step and a stiffness matrix are;
  /// `sum` of forms does without the second matrix, and so does `AssemblyOptions::add`, which leaves out what
  /// both systems have of their space and this call counts twice: loads, Robin sides, constrained rows.
  /// \throws ArgumentError for a system that does not share this one's graph
  void add(const ExecutionSpace& exec, Scalar factor, const LinearSystem& other) const {
    if (other.graph_.row_map.data() != graph_.row_map.data())
      throw ArgumentError("LinearSystem::add: the systems have different graphs");
    const auto add = [&](const Values& to, const Values& from) {
      Kokkos::parallel_for(
          "Tessera::LinearSystem::add",
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, to.extent(0)),
          detail::AddScaled<Values>{to, from, factor});
    };
    add(values_, other.values_);
    add(rhs_, other.rhs_);
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
