// 04: an application of several processes on Trilinos: MPI, Tpetra, Belos and MueLu.
//
// A cantilever bends under its own weight. METIS divides its elements among the ranks. Each rank assembles
// its own elements as if there were no others, by whichever strategy of the catalogue the command line names;
// Tpetra adds up the rows that several ranks hold, in one matrix that is filled again for every strategy, and
// Belos solves by conjugate gradients with MueLu's multigrid. The first rank has solved the whole problem
// alone, without Trilinos, and the answers must agree.
//
//   mpiexec -n 4 04_tpetra [strategy...]

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>
#include <string>
#include <tuple>
#include <vector>

using Teuchos::RCP;
using Teuchos::rcp;

using Map = Tpetra::Map<>;
using GlobalOrdinal = Map::global_ordinal_type;
using Matrix = Tpetra::CrsMatrix<double>;
using Vector = Tpetra::Vector<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Communicator = RCP<const Teuchos::Comm<int>>;

using ExecutionSpace = Map::node_type::execution_space;
using Element = tessera::Hex<1>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;
using System = tessera::LinearSystem<double, ExecutionSpace>;

constexpr int components = 3;
// Lengths in m, Young's modulus in MPa, force per volume in MN/m^3: steel under its weight.
const tessera::LinearElasticity<3> steel{.young = 200e3, .poisson = 0.3, .body_force = {0, 0, -0.077}};

// What one rank holds of the mesh: its elements, and all their nodes.
struct Part {
  Mesh mesh;
  Mesh::NodeSet clamped;
  std::vector<GlobalOrdinal> nodes; // of the whole mesh: the rank's own first, then those of other ranks
  std::size_t own_nodes;
};

// The elements that METIS gives to `rank`. A node belongs to the lowest rank that has one of its elements.
// The mesh is small, and every rank has it whole and divides it in the same way; a large one is divided
// beforehand.
Part cut(const Mesh& whole, int ranks, int rank) {
  const auto elements = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.connectivity());
  const auto points = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole.coordinates());
  const auto partition = tessera::partition_elements(elements, whole.num_nodes(), /*shared_nodes=*/4,
                                                     {.parts = static_cast<tessera::Ordinal>(ranks)});
  std::vector<int> owner(whole.num_nodes(), ranks);
  for (std::size_t e = 0; e < elements.extent(0); ++e)
    for (int n = 0; n < Element::nodes; ++n)
      owner[elements(e, n)] = std::min(owner[elements(e, n)], partition.part_of_item[e]);

  std::vector<GlobalOrdinal> nodes;
  for (tessera::Ordinal k = partition.offsets[rank]; k < partition.offsets[rank + 1]; ++k)
    for (int n = 0; n < Element::nodes; ++n) nodes.push_back(elements(partition.items[k], n));
  std::sort(nodes.begin(), nodes.end(), [&](GlobalOrdinal a, GlobalOrdinal b) {
    return std::make_tuple(owner[a] != rank, owner[a], a) < std::make_tuple(owner[b] != rank, owner[b], b);
  });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto own_nodes = std::count_if(nodes.begin(), nodes.end(), [&](auto n) { return owner[n] == rank; });

  const Mesh::Coordinates coordinates("App::coordinates", nodes.size());
  const Mesh::Connectivity connectivity("App::connectivity", partition.size(rank));
  const auto host_coordinates = Kokkos::create_mirror_view(coordinates);
  const auto host_connectivity = Kokkos::create_mirror_view(connectivity);
  std::vector<tessera::Ordinal> local(whole.num_nodes());
  std::vector<tessera::Ordinal> clamped;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    local[nodes[i]] = static_cast<tessera::Ordinal>(i);
    for (int d = 0; d < Element::dimension; ++d) host_coordinates(i, d) = points(nodes[i], d);
    if (points(nodes[i], 0) == 0) clamped.push_back(local[nodes[i]]);
  }
  for (tessera::Ordinal e = 0; e < partition.size(rank); ++e)
    for (int n = 0; n < Element::nodes; ++n)
      host_connectivity(e, n) = local[elements(partition.items[partition.offsets[rank] + e], n)];
  Kokkos::deep_copy(coordinates, host_coordinates);
  Kokkos::deep_copy(connectivity, host_connectivity);
  const Mesh::NodeSet clamped_nodes("App::clamped", clamped.size());
  Kokkos::deep_copy(clamped_nodes,
                    Kokkos::View<const tessera::Ordinal*, Kokkos::HostSpace>(clamped.data(), clamped.size()));
  return {Mesh(coordinates, connectivity), clamped_nodes, nodes, static_cast<std::size_t>(own_nodes)};
}

// One rank's elements, assembled. The clamped nodes keep their equations, so that equation and node are known
// from each other on every rank.
System assemble(const Mesh& mesh, const Mesh::NodeSet& clamped, const std::string& strategy) {
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, components,
                                                        tessera::ConstraintTreatment::zeroed);
  space.constrain(clamped, {0.0, 0.0, 0.0});
  const System system(space);
  tessera::make_assembly(strategy, space, system.graph())->assemble(steel, system);
  return system;
}

// The equations of a part's first `nodes` nodes, or those nodes themselves.
RCP<const Map> map_of(const Part& part, std::size_t nodes, int per_node, const Communicator& comm) {
  std::vector<GlobalOrdinal> numbers;
  for (std::size_t i = 0; i < nodes; ++i)
    for (int c = 0; c < per_node; ++c) numbers.push_back(part.nodes[i] * per_node + c);
  const Teuchos::ArrayView<const GlobalOrdinal> view(numbers.data(), numbers.size());
  return rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), view, 0, comm));
}

struct DistributedSystem {
  RCP<const Map> all, own; // equations of the rank's elements, and those whose rows it has
  RCP<const Tpetra::Export<>> to_owner;
  RCP<Matrix> matrix;
  RCP<Vector> rhs;
  RCP<MultiVector> coordinates; // of the rank's own nodes
};

// The rank's own matrix as Tpetra sees it; it shares Tessera's views.
RCP<const Matrix> local_matrix(const DistributedSystem& sum, const System& system) {
  return rcp(new Matrix(system.matrix(), sum.all, sum.all, sum.own, sum.own));
}

// Makes what does not depend on the values: maps, and the graph of the sum of all ranks' matrices. A matrix
// that is made of a graph can be filled again and again; the one that exportAndFillCompleteCrsMatrix returns
// cannot, for its graph is its own.
DistributedSystem distribute(const Part& part, const System& system, const Communicator& comm) {
  DistributedSystem sum;
  sum.all = map_of(part, part.nodes.size(), components, comm);
  sum.own = map_of(part, part.own_nodes, components, comm);
  sum.to_owner = rcp(new Tpetra::Export<>(sum.all, sum.own));
  const auto once = Tpetra::exportAndFillCompleteCrsMatrix<Matrix>(local_matrix(sum, system), *sum.to_owner,
                                                                   sum.own, sum.own);
  sum.matrix = rcp(new Matrix(once->getCrsGraph()));
  sum.rhs = rcp(new Vector(sum.own));
  sum.coordinates = rcp(new MultiVector(map_of(part, part.own_nodes, 1, comm), Element::dimension));
  Kokkos::deep_copy(
      sum.coordinates->getLocalViewDevice(Tpetra::Access::OverwriteAll),
      Kokkos::subview(part.mesh.coordinates(), std::make_pair(std::size_t(0), part.own_nodes), Kokkos::ALL));
  return sum;
}

// Adds up what the ranks have assembled, in place of the values that were there: as often as they change.
void fill(const DistributedSystem& sum, const System& system) {
  sum.matrix->resumeFill();
  sum.matrix->setAllToScalar(0.0);
  sum.matrix->doExport(*local_matrix(sum, system), *sum.to_owner, Tpetra::ADD);
  sum.matrix->fillComplete(sum.own, sum.own);

  Vector local_rhs(sum.all);
  Kokkos::deep_copy(
      Kokkos::subview(local_rhs.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0),
      system.rhs());
  sum.rhs->putScalar(0.0);
  sum.rhs->doExport(local_rhs, *sum.to_owner, Tpetra::ADD);
}

// Conjugate gradients, preconditioned by smoothed aggregation that knows the rigid body modes.
RCP<Vector> solve(const DistributedSystem& system, int& iterations) {
  Teuchos::ParameterList multigrid;
  multigrid.set("verbosity", "none");
  multigrid.set("problem: type", "Elasticity-3D");
  multigrid.set("nullspace: calculate rotations", true);
  multigrid.sublist("user data").set("Coordinates", system.coordinates);
  const RCP<Operator> matrix = system.matrix;
  const auto x = rcp(new Vector(system.rhs->getMap()));
  const auto problem = rcp(new Belos::LinearProblem<double, MultiVector, Operator>(matrix, x, system.rhs));
  problem->setLeftPrec(MueLu::CreateTpetraPreconditioner(matrix, multigrid));
  problem->setProblem();

  const auto options = rcp(new Teuchos::ParameterList);
  options->set("Convergence Tolerance", 1e-11);
  options->set("Maximum Iterations", 200);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> solver(problem, options);
  if (solver.solve() != Belos::Converged)
    throw tessera::SolverError("Belos did not converge in 200 iterations");
  iterations = solver.getNumIters();
  return x;
}

// The whole problem by one process and by Tessera alone.
Kokkos::View<double*, Kokkos::HostSpace> reference(const Mesh& whole) {
  const System system = assemble(whole, whole.node_set("xmin"), "ElementAtomic");
  const Kokkos::View<double*, ExecutionSpace> x("App::x", system.num_rows());
  const auto result = tessera::solvers::cg(system, x, {.relative_tolerance = 1e-10});
  if (!result.converged()) throw tessera::SolverError("the reference did not converge");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
}

// Largest difference over the largest displacement, on the first rank.
double difference(const Vector& x, const Kokkos::View<double*, Kokkos::HostSpace>& expected) {
  const auto comm = x.getMap()->getComm();
  const auto first =
      rcp(new Map(x.getGlobalLength(), comm->getRank() == 0 ? x.getGlobalLength() : 0, 0, comm));
  Vector gathered(first);
  gathered.doImport(x, Tpetra::Import<>(x.getMap(), first), Tpetra::INSERT);
  const auto values = gathered.getLocalViewHost(Tpetra::Access::ReadOnly);
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < expected.extent(0); ++i) {
    largest = tessera::worse_of(largest, std::abs(values(i, 0) - expected(i)));
    scale = std::max(scale, std::abs(expected(i)));
  }
  return comm->getRank() == 0 ? largest / scale : 0;
}

bool run(const std::vector<std::string>& strategies) {
  const Communicator comm = Tpetra::getDefaultComm();
  const auto whole = tessera::io::box_mesh<Element, ExecutionSpace>({{40, 8, 8}, {5.0, 1.0, 1.0}});
  const Part part = cut(whole, comm->getSize(), comm->getRank());
  Kokkos::View<double*, Kokkos::HostSpace> expected;
  if (comm->getRank() == 0) expected = reference(whole);
  bool agrees = true;
  DistributedSystem sum;
  for (const auto& strategy : strategies) {
    const System system = assemble(part.mesh, part.clamped, strategy);
    if (sum.matrix.is_null()) sum = distribute(part, system, comm);
    fill(sum, system);
    int iterations = 0;
    const auto x = solve(sum, iterations);
    const double error = difference(*x, expected);
    agrees = agrees && error < 1e-9;
    if (comm->getRank() == 0)
      std::printf("%d ranks, %-16s %zu equations, %d iterations, differs from one rank's answer by %.1e\n",
                  comm->getSize(), strategy.c_str(), x->getGlobalLength(), iterations, error);
  }
  return agrees;
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    const std::vector<std::string> strategies(argv + 1, argv + argc);
    return run(strategies.empty() ? std::vector<std::string>{"RowOwner"} : strategies) ? 0 : 1;
  } catch (
      const std::exception& error) { // of Tessera and of Trilinos; the other ranks must not wait for this one
    std::cerr << "04_tpetra: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
