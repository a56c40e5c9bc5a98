// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Flow with inertia: a preconditioner by velocity and pressure that knows convection. Only with
/// TESSERA_HAVE_KOKKOSKERNELS.

#include <tessera/core/allocate.hpp>
#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/split_system.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/fields/block_triangular.hpp>
#include <tessera/solvers/incomplete_lu.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace tessera::solvers {

namespace detail {

/// Of the pressure's functions: integral of viscosity grad p . grad q + density (u . grad p) q, u the
/// velocities of field 0; zero but for the pressure's rows and columns.
template <int d>
struct PressureTransport {
  static constexpr int components = d + 1, linear_components = 1;
  static constexpr bool symmetric = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order - 1; ///< exact on straight simplices

  double viscosity, density;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    Vector<typename Point::number_type, components> f;
    const auto wind = p.template a<0>();
    for (int b = 0; b < d; ++b) f(d) += density * wind(b) * p.grad_u(d, b);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    Matrix<typename Point::number_type, components, d> f;
    for (int b = 0; b < d; ++b) f(d, b) = viscosity * p.grad_u(d, b);
    return f;
  }
};

} // namespace detail

/// What stands for the inverse of Schur's complement of `NavierStokes<d>` at a flow u: y = M⁻¹ F A⁻¹ x, of
/// the pressure's functions M the mass matrix, A that of the Laplacian, F that of convection by u and
/// friction. Convection and gradient commute nearly, so that it holds where M⁻¹ alone, which knows nothing of
/// the wind, does not (D. Kay, D. Loghin and A. Wathen, "A preconditioner for the steady-state Navier-Stokes
/// equations", SIAM J. Sci. Comput. 24, 2002). A multigrid cycle each stands for M⁻¹ and A⁻¹.
///
/// Its matrices have the constraints of the pressure, and no conditions at outlets: best where velocities are
/// prescribed all round. Made once for all steps; copies share it. Memory: about three times a system of the
/// space.
template <int d, class Element, class ExecutionSpace>
class PressureConvection {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// For a flow at rest. \throws ArgumentError unless the space has d + 1 components, the last of them
  /// linear;
  ///   FormError for a viscosity or density out of range; as `Multigrid`; OutOfMemoryError
  PressureConvection(const ExecutionSpace& exec, const NavierStokes<d>& flow, const Space& space)
      : flow_(flow), space_(space), system_(exec, space),
        plan_(assembly::RowOwner().plan(exec, space, system_.graph())), split_(exec, system_, d),
        rest_(allocate_zeroed<Vector>(exec, "Tessera::PressureConvection::rest", space.num_dofs())),
        laplacian_(multigrid_of(exec, transport(1, 0, rest_))),
        mass_(multigrid_of(exec, PressureMass<d>{.viscosity = 1})), gradient_(vector(exec, "gradient")),
        carried_(vector(exec, "carried")) {
    flow.check();
    update(exec, rest_);
  }

  /// Takes another flow, node * components + component. \throws ArgumentError for another length
  void update(const ExecutionSpace& exec, const ConstVector& u) {
    plan_.assemble(transport(flow_.viscosity, flow_.density, u), system_);
    split_.update(exec, system_);
  }

  std::size_t rows() const { return split_.rows(1); }

  /// y = M⁻¹ F A⁻¹ x. \throws ArgumentError unless x and y have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    laplacian_.apply(exec, x, gradient_);
    const auto f = split_.block(1, 1);
    CrsOperator<double, ExecutionSpace>(exec, f.row_map, f.columns, f.values)
        .apply(exec, gradient_, carried_);
    mass_.apply(exec, carried_, y);
  }

private:
  using System = LinearSystem<double, ExecutionSpace>;
  using Plan =
      decltype(assembly::RowOwner().plan(std::declval<const ExecutionSpace&>(), std::declval<const Space&>(),
                                         std::declval<const SparsityGraph<ExecutionSpace>&>()));

  auto transport(double viscosity, double density, const ConstVector& u) const {
    using Wind = NodalField<d + 1, ExecutionSpace>;
    return jacobian(weak_form(detail::PressureTransport<d>{viscosity, density}, Wind{u}), space_.mesh(),
                    rest_);
  }
  template <class Form>
  Multigrid<ExecutionSpace> multigrid_of(const ExecutionSpace& exec, const Form& form) {
    plan_.assemble(form, system_);
    split_.update(exec, system_);
    return multigrid_of_field(exec, split_, 1, space_.mesh().coordinates());
  }
  Vector vector(const ExecutionSpace& exec, const std::string& name) const {
    return allocate<Vector>(exec, "Tessera::PressureConvection::" + name, rows());
  }

  NavierStokes<d> flow_;
  Space space_;
  System system_;
  Plan plan_;
  SplitSystem<double, ExecutionSpace> split_; ///< F, in the pressure's block
  Vector rest_;
  Multigrid<ExecutionSpace> laplacian_, mass_;
  Vector gradient_, carried_;
};

/// A preconditioner for a Jacobian of `NavierStokes<d>`, assembled into `system` at the flow u, which
/// `pressure` takes: an incomplete factorisation for the velocities, with convection, and `pressure` for
/// Schur's complement. The iterations of `flexible_gmres` grow with the Reynolds number's square root rather
/// than with itself (`gmres` takes multigrid's single precision for linear, and needs more); they grow on
/// finer meshes too, where the factorisation knows less of friction (`stokes_preconditioner` is for those, at
/// small Reynolds numbers).
///
///     solvers::PressureConvection pressure(exec, flow, space);
///     newton.solve(flow, u, [&](const auto& exec, const auto& system, const auto& x, const auto& state) {
///       const solvers::CrsOperator<double> matrix(exec, system.graph().row_map, system.graph().columns,
///                                                 system.values());
///       const auto m = solvers::navier_stokes_preconditioner(exec, pressure, system, state);
///       return solvers::flexible_gmres(exec, matrix, m, system.rhs(), x, {.relative_tolerance = 1e-6}, 200);
///     });
///
/// \param level of fill, of `IncompleteLu`
/// \throws ArgumentError as `PressureConvection::update`; as `IncompleteLu`
template <int d, class Element, class ExecutionSpace, class Values>
BlockTriangular<IncompleteLu<double, ExecutionSpace>, PressureConvection<d, Element, ExecutionSpace>,
                ExecutionSpace>
navier_stokes_preconditioner(const ExecutionSpace& exec,
                             PressureConvection<d, Element, ExecutionSpace>& pressure,
                             const LinearSystem<double, ExecutionSpace>& system, const Values& u,
                             int level = 1) {
  pressure.update(exec, u);
  const SplitSystem<double, ExecutionSpace> split(exec, system, d);
  const auto f = split.block(0, 0);
  return {exec, split, IncompleteLu<double, ExecutionSpace>(exec, f.row_map, f.columns, f.values, level),
          pressure};
}

} // namespace tessera::solvers
