// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/row_export.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "problem.hpp"
#include <Tpetra_FECrsGraph.hpp>
#include <Tpetra_FECrsMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace tessera::tools::messages {

namespace {

using Types = distributed::TpetraTypes<Space>;
using FEGraph = Tpetra::FECrsGraph<Ordinal, Types::GlobalNumber, Types::Node>;
using FEMatrix = Tpetra::FECrsMatrix<double, Ordinal, Types::GlobalNumber, Types::Node>;
using System = LinearSystem<double, Space>;

constexpr int runs = 10;

template <class View>
auto host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// A strategy on some of a rank's elements.
template <class Element>
class Part {
public:
  Part(const Problem<Element>& problem, const tessera::Mesh<Element, Space>& mesh,
       const SparsityGraph<Space>& graph)
      : space_(mesh, problem.space.components()),
        plan_(make_assembly("ElementAtomic", space_, distributed::graph_for(space_, graph))) {}

  void assemble(const System& system, bool add) {
    const AssemblyOptions options{.matrix_alone = false, .add = add};
    if (space_.components() == 1)
      plan_->assemble(Helmholtz<>{.sigma = 1.0, .lambda = 0.0, .source = 1.0}, system, options);
    else
      plan_->assemble(LinearElasticity<3>{.young = 1.0, .poisson = 0.3, .body_force = {0, 0, -1}}, system,
                      options);
  }

private:
  FunctionSpace<Element, Space> space_;
  std::unique_ptr<AnyAssembly<Element, Space>> plan_;
};

/// Rows of owned nodes, and of ghosts that ranks of higher numbers own, with their entries in Tpetra's hands.
/// An equation for each component of each node.
class FERows {
public:
  template <class Element>
  FERows(const Problem<Element>& problem, const System& system)
      : owned_(problem.mesh.owned_nodes() * problem.space.components()), shared_(owned_),
        row_map_(host(system.graph().row_map)), columns_(host(system.graph().columns)) {
    const auto equations = distributed::global_equations(Space(), problem.mesh, problem.space);
    const auto maps = distributed::tpetra_maps<Space>(problem.mesh.ranks(), equations);
    const auto& owners = problem.mesh.ghost_owners();
    for (std::size_t g = 0; g < owners.extent(0) && owners(g) < problem.mesh.ranks().rank(); ++g)
      shared_ += problem.space.components();
    std::vector<distributed::GlobalOrdinal> numbers;
    for (Ordinal row = 0; row < system.num_rows(); ++row) {
      if (row < owned_ || row >= shared_) numbers.push_back(equations.numbers(row));
      longest_ = std::max(longest_, row_map_(row + 1) - row_map_(row));
    }
    const auto at = [&](std::size_t i) { return numbers[i]; };
    constexpr auto unknown = static_cast<distributed::GlobalOrdinal>(-1);
    const auto rows =
        distributed::detail::listed_map<Space>(maps.owned->getComm(), unknown, at, numbers.size());
    const auto graph = Teuchos::rcp(new FEGraph(maps.owned, rows, maps.local, longest_, Teuchos::null,
                                                maps.owned, maps.owned, Teuchos::null));
    graph->beginAssembly();
    for_each_row([&](Ordinal to, Ordinal row) {
      graph->insertLocalIndices(to, length(row), columns_.data() + row_map_(row));
    });
    graph->endAssembly();
    matrix_ = Teuchos::rcp(new FEMatrix(graph));
  }

  /// Sums the values of a system, row by row.
  void sum(const System& system) {
    const auto values = host(system.values());
    matrix_->beginAssembly();
    matrix_->setAllToScalar(0.0);
    for_each_row([&](Ordinal to, Ordinal row) {
      matrix_->sumIntoLocalValues(to, length(row), values.data() + row_map_(row),
                                  columns_.data() + row_map_(row));
    });
    matrix_->endAssembly();
  }

  const FEMatrix& matrix() const { return *matrix_; }

private:
  Ordinal length(Ordinal row) const { return static_cast<Ordinal>(row_map_(row + 1) - row_map_(row)); }

  template <class Visit>
  void for_each_row(const Visit& visit) const {
    const auto end = static_cast<Ordinal>(row_map_.extent(0)) - 1;
    for (Ordinal row = 0; row < owned_; ++row) visit(row, row);
    for (Ordinal row = shared_; row < end; ++row) visit(owned_ + row - shared_, row);
  }

  Ordinal owned_, shared_; ///< rows; the first one that is exported
  Offset longest_ = 0;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_map_;
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> columns_;
  Teuchos::RCP<FEMatrix> matrix_;
};

} // namespace

template <class Element>
void assemble_again(const Problem<Element>& problem) {
  const System system(problem.space);
  {
    Part<Element> all(problem, problem.mesh.local(), system.graph());
    measure("ghost elements, again", [&] { all.assemble(system, false); }, runs);
  }
  const auto own = distributed::own_elements(Space(), problem.mesh);
  Part<Element> interior(problem, own.interior.mesh, system.graph()),
      border(problem, own.border.mesh, system.graph());
  const auto equations = distributed::global_equations(Space(), problem.mesh, problem.space);
  std::unique_ptr<distributed::RowExport<Space>> rows;
  measure("rows exported, set-up", [&] {
    rows = std::make_unique<distributed::RowExport<Space>>(Space(), problem.mesh, system.graph(), equations);
  });
  const auto exported = [&] {
    border.assemble(system, false);
    rows->begin(Space(), system);
    interior.assemble(system, true);
    rows->end(Space(), system);
  };
  measure("rows exported, again", exported, runs);
  std::unique_ptr<FERows> tpetra;
  measure("FECrsMatrix, set-up", [&] { tpetra = std::make_unique<FERows>(problem, system); });
  const auto summed = [&] {
    border.assemble(system, false);
    interior.assemble(system, true);
    tpetra->sum(system);
  };
  measure("FECrsMatrix, again", summed, runs);
  const double norm = tpetra->matrix().getFrobeniusNorm();
  exported();
  double mine = 0;
  const auto end = problem.mesh.owned_nodes() * problem.space.components();
  const auto row_map = host(system.graph().row_map);
  const auto values = host(system.values());
  for (Offset k = 0; k < row_map(end); ++k) mine += values(k) * values(k);
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (problem.mesh.ranks().rank() == 0)
    std::printf("Frobenius norm: exported %.12e, FECrsMatrix %.12e\n", std::sqrt(mine), norm);
}

template void assemble_again(const Problem<Tet<1>>&);
template void assemble_again(const Problem<Hex<1>>&);

} // namespace tessera::tools::messages
