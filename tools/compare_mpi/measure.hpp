// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One rank's work on its part of a box, timed beside the same box alone.

#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/cg.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/distributed/split_sum.hpp>
#ifdef TESSERA_HAVE_HYPRE
#include <tessera/distributed/hypre/cg.hpp>
#include <tessera/distributed/hypre/multigrid.hpp>
#endif
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "on_ranks.hpp"
#include "report.hpp"
#include "support/allocated_bytes.hpp"
#include <cstddef>
#include <functional>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ranks {

using Vector = Kokkos::View<double*, Space>;

/// Times what is done on a mesh, and writes down what it holds.
template <class Element, class Form, class WeakForm>
class Measurement {
public:
  using MeshType = tessera::Mesh<Element, Space>;

  Measurement(MPI_Comm ranks, const Settings& settings, const Form& form, const WeakForm& weak)
      : ranks_(ranks), settings_(settings), form_(form), weak_(weak) {}

  const std::vector<Row>& rows() const { return rows_; }

  /// \param part "ranks" or "alone"
  void measure_mesh(const std::string& part, const MeshType& mesh, double mesh_seconds,
                    Ordinal owned_elements, Ordinal owned_nodes) {
    row_ = Row{};
    row_.part = part;
    row_.elements = mesh.num_elements();
    row_.owned_elements = owned_elements;
    row_.nodes = mesh.num_nodes();
    row_.owned_nodes = owned_nodes;
    row_.mesh_seconds = mesh_seconds;
    const FunctionSpace<Element, Space> space(mesh, Form::components);
    {
      const tools::AllocatedBytes<Space::memory_space> bytes;
      const Kokkos::Timer timer;
      const LinearSystem<double, Space> system(space);
      row_.system_seconds = timer.seconds();
      for (const std::string& name : settings_.strategies) assemble(name, space, system, bytes);
    }
    row_.system_seconds = 0;
    const Vector x = vector_of(space), y = vector_of(space);
    auto residual = residual_of(space, "residual, no import");
    time([&] { residual.integrate(weak_, x, y); });
    const auto product = operator_of(space, "product, no import");
    time([&] { product.apply(Space(), x, y); });
  }

  /// Residual and product on owned rows with the import of x: before, and under way.
  void measure_imports(const distributed::Mesh<Element, Space>& mesh) {
    const FunctionSpace<Element, Space> space(mesh.local(), Form::components);
    const Vector x = vector_of(space), y = vector_of(space);
    const auto transfer = settings_.transfer.value_or(distributed::usable_transfer());
    distributed::NodeExchange<double, Space> exchange(Space(), mesh.import(), Form::components, transfer);
    const auto import = [&] {
      exchange.begin(Space(), x);
      exchange.end(Space(), x);
    };
    {
      auto residual = residual_of(space, "residual, then import");
      time([&] { import(), residual.integrate(weak_, x, y); });
      const auto product = operator_of(space, "product, then import");
      time([&] { import(), product.apply(Space(), x, y); });
    }
    row_.what = "import";
    time(import);
    measure_overlap(mesh, transfer, x, y);
  }

  /// Conjugate gradients by the solvers that are asked for: the box is held at one end and loaded at the
  /// other.
  void measure_solvers(const distributed::Mesh<Element, Space>& mesh) {
    if (settings_.solvers.empty()) return;
    FunctionSpace<Element, Space> space(mesh.local(), Form::components);
    space.constrain(mesh.local().node_set("xmin"), std::vector<double>(Form::components, 0.0));
    space.add_load(mesh.local().side_set("xmax"), std::vector<double>(Form::components, 1.0));
    row_.plan_seconds = 0;
    row_.bytes = 0;
    for (const std::string& solver : settings_.solvers)
      if (solver == "tessera")
        solve_by_tessera(mesh, space);
      else
        solve_by_hypre(solver, mesh, space);
  }

private:
  /// Collective: by the first strategy.
  void assemble(const distributed::Communicator& ranks, const FunctionSpace<Element, Space>& space,
                const LinearSystem<double, Space>& system) {
    distributed::agree(ranks, [&] {
      make_assembly(settings_.strategies.front(), space, system.graph())->assemble(form_, system);
    });
  }

  void solve_by_tessera(const distributed::Mesh<Element, Space>& mesh,
                        const FunctionSpace<Element, Space>& space) {
    const auto system = distributed::agree(mesh.ranks(), [&] { return LinearSystem<double, Space>(space); });
    assemble(mesh.ranks(), space, system);
    const auto equations = distributed::contiguous_equations(Space(), mesh, space);
    const distributed::CrsOperator<Space> matrix(Space(), mesh, system, equations, settings_.transfer);
    std::optional<distributed::Multigrid<Space>> multigrid;
    const auto make = [&] {
      return distributed::Multigrid<Space>(Space(), mesh, system, equations,
                                           {.transfer = settings_.transfer});
    };
    time_set_up("tessera", multigrid, make);
    row_.what = "tessera, refresh";
    time([&] { multigrid->refresh(Space()); });
    const Vector x("Tessera::ranks::solution", to_size(system.num_rows()));
    time_solution("tessera", [&] {
      Kokkos::deep_copy(x, 0.0);
      const auto result = distributed::cg(Space(), matrix, *multigrid, system.rhs(), x);
      return std::pair(result.converged(), result.iterations);
    });
    const Vector r = Kokkos::subview(system.rhs(), std::pair(std::size_t(0), matrix.rows()));
    const Vector z = Kokkos::subview(x, std::pair(std::size_t(0), matrix.rows()));
    row_.what = "tessera, a cycle";
    time([&] { multigrid->apply(Space(), r, z); });
    row_.what = "tessera, a product";
    time([&] { matrix.apply(Space(), r, z); });
  }

#ifdef TESSERA_HAVE_HYPRE
  void solve_by_hypre(const std::string& solver, const distributed::Mesh<Element, Space>& mesh,
                      const FunctionSpace<Element, Space>& space) {
    const auto system = noted(solver + ", refill", [&] { return distributed::HypreSystem(mesh, space); });
    assemble(mesh.ranks(), space, system.local());
    time([&] { system.refill(); });
    row_.plan_seconds = 0;
    row_.bytes = 0; // what hypre takes, Kokkos does not see
    if (solver == "hypre")
      solve_with<distributed::BoomerAmg<Space>>(solver,
                                                [&] { return distributed::BoomerAmg<Space>(system, mesh); });
    else
      solve_with<distributed::HypreMultigrid<Space>>(solver, [&] {
        return distributed::HypreMultigrid<Space>(system, mesh, {.transfer = settings_.transfer});
      });
  }

  template <class Preconditioner>
  void solve_with(const std::string& solver, const std::function<Preconditioner()>& make) {
    std::optional<Preconditioner> preconditioner;
    time_set_up(solver, preconditioner, make);
    if constexpr (requires { preconditioner->refresh(); }) {
      row_.what = solver + ", refresh";
      time([&] { preconditioner->refresh(); });
    }
    const Vector x = preconditioner->system().make_vector();
    time_solution(solver, [&] {
      Kokkos::deep_copy(x, 0.0);
      const auto result = distributed::hypre_cg(*preconditioner, x);
      return std::pair(result.converged, result.iterations);
    });
  }
#else
  void solve_by_hypre(const std::string&, const distributed::Mesh<Element, Space>&,
                      const FunctionSpace<Element, Space>&) {} // is no choice then
#endif

  template <class Preconditioner, class Make>
  void time_set_up(const std::string& solver, std::optional<Preconditioner>& preconditioner,
                   const Make& make) {
    row_.what = solver + ", set-up";
    time([&] {
      preconditioner.reset();
      preconditioner.emplace(make());
    });
  }

  /// \param solve whether it has converged, and iterations
  /// \throws SolverError where a solution is not found
  void time_solution(const std::string& solver, const std::function<std::pair<bool, int>()>& solve) {
    row_.what = solver + ", solution";
    time([&] {
      const auto [converged, iterations] = solve();
      if (!converged)
        throw SolverError(solver + ": no solution after " + std::to_string(iterations) + " iterations");
      row_.iterations = iterations;
    });
    row_.iterations = 0;
  }

  void measure_overlap(const distributed::Mesh<Element, Space>& mesh, distributed::Transfer transfer,
                       const Vector& x, const Vector& y) {
    const auto split = distributed::split_mesh(Space(), mesh);
    const FunctionSpace<Element, Space> interior(split.interior.mesh, Form::components),
        border(split.border.mesh, Form::components);
    distributed::SplitSum<double, Space> sum(Space(), mesh, interior, transfer);
    {
      const std::string what = "residual, import under way";
      auto inner = residual_of(interior, what), outer = residual_of(border, what);
      const auto by = [&](auto& plan) {
        return [&](const Vector& u, const Vector& r) { plan.integrate(weak_, u, r); };
      };
      time([&] { sum.apply(Space(), x, y, by(inner), by(outer)); });
    }
    const std::string what = "product, import under way";
    const auto inner = operator_of(interior, what), outer = operator_of(border, what);
    const auto by = [&](const auto& product) {
      return [&](const Vector& from, const Vector& to) { product.apply(Space(), from, to); };
    };
    time([&] { sum.apply(Space(), x, y, by(inner), by(outer)); });
  }

  static Vector vector_of(const FunctionSpace<Element, Space>& space) {
    const Vector x("Tessera::ranks::vector", to_size(space.num_dofs()));
    Kokkos::deep_copy(x, 1.0);
    return x;
  }

  void assemble(const std::string& name, const FunctionSpace<Element, Space>& space,
                const LinearSystem<double, Space>& system,
                const tools::AllocatedBytes<Space::memory_space>& bytes) {
    row_.what = name;
    const Kokkos::Timer timer;
    const auto plan = make_assembly(name, space, system.graph());
    plan->prepare(form_, double());
    row_.plan_seconds = timer.seconds();
    row_.bytes = bytes.count();
    time([&] { plan->assemble(form_, system); });
  }

  /// Notes what `make()` costs.
  template <class Make>
  auto noted(const std::string& what, const Make& make) {
    row_.what = what;
    const tools::AllocatedBytes<Space::memory_space> bytes;
    const Kokkos::Timer timer;
    auto result = make();
    row_.plan_seconds = timer.seconds();
    row_.bytes = bytes.count();
    return result;
  }

  auto residual_of(const FunctionSpace<Element, Space>& space, const std::string& what) {
    return noted(what, [&] {
      auto plan = residual::RecomputingResidual{}.plan(space);
      plan.template prepare<double>(weak_);
      return plan;
    });
  }

  auto operator_of(const FunctionSpace<Element, Space>& space, const std::string& what) {
    return noted(what, [&] {
      return matrix_free::RecomputingElementByElement{}.plan(space).template prepare<double>(form_);
    });
  }

  void time(const std::function<void()>& body) {
    row_.seconds = time_on_ranks(ranks_, settings_.repetitions, body);
    rows_.push_back(row_);
  }

  MPI_Comm ranks_;
  const Settings& settings_;
  Form form_;
  WeakForm weak_;
  std::vector<Row> rows_;
  Row row_;
};

/// All measurements of a problem on the first `count` ranks: each one's part of their box.
template <class Element, class Form, class WeakForm>
std::vector<Line> measure_ranks(MPI_Comm ranks, int count, const Settings& settings, const Form& form,
                                const WeakForm& weak) {
  Measurement<Element, Form, WeakForm> measurement(ranks, settings, form, weak);
  const Kokkos::Timer timer;
  const auto mesh =
      distributed::box_mesh<Element>(Space(), ranks, settings.box(count), settings.blocks(count));
  measurement.measure_mesh("ranks", mesh.local(), timer.seconds(), mesh.owned_elements(), mesh.owned_nodes());
  if (count > 1) measurement.measure_imports(mesh);
  measurement.measure_solvers(mesh);
  return lines_of(ranks, settings, measurement.rows());
}

/// The same on each rank's block without ghosts, on all ranks at once.
template <class Element, class Form, class WeakForm>
std::vector<Line> measure_alone(MPI_Comm ranks, const Settings& settings, const Form& form,
                                const WeakForm& weak) {
  Measurement<Element, Form, WeakForm> measurement(ranks, settings, form, weak);
  const Kokkos::Timer timer;
  const auto mesh = io::box_mesh<Element>(Space(), settings.box(1));
  measurement.measure_mesh("alone", mesh, timer.seconds(), mesh.num_elements(), mesh.num_nodes());
  return lines_of(ranks, settings, measurement.rows());
}

/// Collective: on each number of ranks after the other, those that are not needed waiting. Lines on rank 0.
template <class Element, class Form, class WeakForm>
std::vector<Line> measure(const Settings& settings, const std::vector<int>& counts, const Form& form,
                          const WeakForm& weak) {
  const distributed::Communicator all(MPI_COMM_WORLD);
  std::vector<Line> lines;
  const auto add = [&](const std::vector<Line>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  for (const int count : counts) {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, all.rank() < count ? 0 : MPI_UNDEFINED, all.rank(), &some);
    while_others_wait(all, [&] {
      if (some != MPI_COMM_NULL) add(measure_ranks<Element>(some, count, settings, form, weak));
    });
    if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  }
  if (!settings.strong && all.size() > 1) add(measure_alone<Element>(MPI_COMM_WORLD, settings, form, weak));
  return lines;
}

std::vector<Line> measure_helmholtz(const Settings& settings, const std::vector<int>& counts);
std::vector<Line> measure_elasticity(const Settings& settings, const std::vector<int>& counts);

} // namespace tessera::ranks
