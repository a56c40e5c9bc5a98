#pragma once

/// \file
/// One rank's work on its part of a box, timed beside the same box alone.

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/box.hpp>
#include <tessera/distributed/split_mesh.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "report.hpp"
#include "support/allocated_bytes.hpp"
#include <functional>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ranks {

using Space = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Space>;

/// Seconds of `repetitions` calls after three that do not count, each on all ranks at once: the longest of
/// the ranks for each.
inline std::vector<double> time_on_ranks(int repetitions, const std::function<void()>& body) {
  std::vector<double> seconds;
  for (int repetition = -3; repetition < repetitions; ++repetition) {
    Space().fence("Tessera::ranks::before_timing");
    MPI_Barrier(MPI_COMM_WORLD);
    const Kokkos::Timer timer;
    body();
    Space().fence("Tessera::ranks::after_timing");
    double mine = timer.seconds(), longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition >= 0) seconds.push_back(longest);
  }
  return seconds;
}

/// CUDA takes no kernel that is a private member.
struct AddVector {
  Vector y, z;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) += z(i); }
};

/// Times what is done on a mesh, and writes down what it holds.
template <class Element, class Form, class WeakForm>
class Measurement {
public:
  using MeshType = tessera::Mesh<Element, Space>;

  Measurement(const Settings& settings, const Form& form, const WeakForm& weak, std::vector<Row>& rows)
      : settings_(settings), form_(form), weak_(weak), rows_(rows) {}

  /// \param part "ranks" or "alone"
  void measure_mesh(const std::string& part, const MeshType& mesh, double mesh_seconds,
                    Ordinal owned_elements, Ordinal owned_nodes) {
    row_ = {.part = part,
            .elements = mesh.num_elements(),
            .owned_elements = owned_elements,
            .nodes = mesh.num_nodes(),
            .owned_nodes = owned_nodes,
            .mesh_seconds = mesh_seconds};
    const FunctionSpace<Element, Space> space(mesh, Form::components);
    {
      const tools::AllocatedBytes<Space::memory_space> bytes;
      const Kokkos::Timer timer;
      const LinearSystem<double, Space> system(space);
      row_.system_seconds = timer.seconds();
      assemble(assembly::RowOwner{}, space, system, bytes);
      assemble(assembly::ElementAtomic{}, space, system, bytes);
    }
    row_.system_seconds = 0;
    integrate(space);
  }

  /// K x on owned rows with the import of x: all at once, and the interior while the import is under way.
  void measure_product(const distributed::Mesh<Element, Space>& mesh) {
    const auto n = static_cast<std::size_t>(mesh.local().num_nodes()) * Form::components;
    const Vector x("Tessera::ranks::x", n), y("Tessera::ranks::y", n), z("Tessera::ranks::z", n);
    Kokkos::deep_copy(x, 1.0);
    distributed::NodeExchange<double, Space> exchange(
        Space(), mesh.import(), Form::components,
        settings_.device_transfer ? distributed::Transfer::device : distributed::Transfer::host);
    const Space exec;
    {
      const auto all = operator_of(mesh.local(), "product, no import");
      time([&] { all.apply(exec, x, y); });
      row_.what = "product, then import";
      time([&] {
        exchange.begin(exec, x);
        exchange.end(exec, x);
        all.apply(exec, x, y);
      });
      row_.what = "import";
      time([&] {
        exchange.begin(exec, x);
        exchange.end(exec, x);
      });
    }
    const auto split = distributed::split_mesh(exec, mesh);
    const auto interior = operator_of(split.interior.mesh, "product, import under way");
    const auto border = operator_of(split.border.mesh, "product, import under way");
    time([&] {
      exchange.begin(exec, x);
      interior.apply(exec, x, y);
      exchange.end(exec, x);
      border.apply(exec, x, z);
      add(exec, y, z);
    });
  }
  void measure_product_alone(const MeshType& mesh) {
    const auto n = static_cast<std::size_t>(mesh.num_nodes()) * Form::components;
    const Vector x("Tessera::ranks::x", n), y("Tessera::ranks::y", n);
    Kokkos::deep_copy(x, 1.0);
    const auto all = operator_of(mesh, "product, no import");
    time([&] { all.apply(Space(), x, y); });
  }

private:
  static void add(const Space& exec, const Vector& y, const Vector& z) {
    Kokkos::parallel_for("Tessera::ranks::add",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(y.extent(0))),
                         AddVector{y, z});
  }

  template <class Strategy>
  void assemble(const Strategy& strategy, const FunctionSpace<Element, Space>& space,
                const LinearSystem<double, Space>& system,
                const tools::AllocatedBytes<Space::memory_space>& bytes) {
    if (settings_.strategy != "both" && settings_.strategy != Strategy::name) return;
    row_.what = Strategy::name;
    const Kokkos::Timer timer;
    auto plan = strategy.plan(space, system.graph());
    plan.prepare(form_);
    row_.plan_seconds = timer.seconds();
    row_.bytes = bytes.count();
    time([&] { plan.assemble(form_, system); });
  }

  void integrate(const FunctionSpace<Element, Space>& space) {
    const Vector u("Tessera::ranks::u", space.num_dofs()), r("Tessera::ranks::r", space.num_dofs());
    row_.what = "residual";
    const tools::AllocatedBytes<Space::memory_space> bytes;
    const Kokkos::Timer timer;
    auto plan = residual::RecomputingResidual{}.plan(space);
    plan.template prepare<double>(weak_);
    row_.plan_seconds = timer.seconds();
    row_.bytes = bytes.count();
    time([&] { plan.integrate(weak_, u, r); });
  }

  auto operator_of(const MeshType& mesh, const std::string& what) {
    row_.what = what;
    const tools::AllocatedBytes<Space::memory_space> bytes;
    const Kokkos::Timer timer;
    const FunctionSpace<Element, Space> space(mesh, Form::components);
    auto result = matrix_free::RecomputingElementByElement{}.plan(space).template prepare<double>(form_);
    row_.plan_seconds = timer.seconds();
    row_.bytes = bytes.count();
    return result;
  }

  void time(const std::function<void()>& body) {
    row_.seconds = time_on_ranks(settings_.repetitions, body);
    rows_.push_back(row_);
  }

  const Settings& settings_;
  Form form_;
  WeakForm weak_;
  std::vector<Row>& rows_;
  Row row_;
};

/// All measurements of a problem: this rank's part of the box of all, and its block alone, without ghosts.
template <class Element, class Form, class WeakForm>
std::vector<Row> measure(const Settings& settings, const Form& form, const WeakForm& weak) {
  const auto& [x, y, z] = settings.blocks;
  const Ordinal n = settings.cells;
  std::vector<Row> rows;
  Measurement<Element, Form, WeakForm> measurement(settings, form, weak, rows);
  {
    Kokkos::Timer timer;
    const auto mesh = distributed::box_mesh<Element>(
        Space(), MPI_COMM_WORLD,
        {{n * x, n * y, n * z}, {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}},
        settings.blocks);
    const double seconds = timer.seconds();
    measurement.measure_mesh("ranks", mesh.local(), seconds, mesh.owned_elements(), mesh.owned_nodes());
    measurement.measure_product(mesh);
  }
  Kokkos::Timer timer;
  const auto alone = io::box_mesh<Element>(Space(), {{n, n, n}, {1.0, 1.0, 1.0}});
  measurement.measure_mesh("alone", alone, timer.seconds(), alone.num_elements(), alone.num_nodes());
  measurement.measure_product_alone(alone);
  return rows;
}

std::vector<Row> measure_helmholtz(const Settings& settings);
std::vector<Row> measure_elasticity(const Settings& settings);

} // namespace tessera::ranks
