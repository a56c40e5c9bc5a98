// SPDX-License-Identifier: BSD-3-Clause
#include "linearised.hpp"

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/system/transpose.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/parameter_derivatives.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>

#include "heard.hpp"
#include "lists.hpp"
#include "streams.hpp"
#include "vectors.hpp"
#include <optional>

namespace tessera::python {

namespace {

struct Negate {
  Kokkos::View<double*, Exec> x;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { x(i) = -x(i); }
};

/// \throws UnsupportedError that names the elements
template <class Space>
[[noreturn]] void refuse_order(const Space& space) {
  throw UnsupportedError("Residual: Jacobians are compiled for elements of order one, not for " +
                         names_of(space.mesh()));
}
template <int list>
[[noreturn]] void refuse_order(const NoSpace<list>&) {
  throw UnsupportedError("Residual: there are no elements");
}

using Vector = Kokkos::View<double*, Exec>;
using ConstVector = Kokkos::View<const double*, Exec>;

/// \name lambda' dr/da of field k, an entry for each of its values.
///@{
template <int k, class Weak, class Element>
Vector gradient_of(const Exec& exec, const Weak& form, const FunctionSpace<Element, Exec>& space,
                   const ConstVector& u, const ConstVector& lambda) {
  return parameter_gradient<k>(exec, form, space, u, lambda);
}
template <int k, class FormOfBlock, class List>
Vector gradient_of(const Exec& exec, const BlockForms<FormOfBlock>& forms,
                   const MixedSpace<List, Exec>& space, const ConstVector& u, const ConstVector& lambda) {
  const CellField& field = std::get<k>(forms.of.whole.fields);
  const auto gradient = allocate_zeroed<Vector>(exec, "Tessera::python::gradient", field.size());
  Ordinal first = 0;
  space.for_each_block([&](const auto& block) {
    const Ordinal next = first + block.mesh().num_elements();
    if (next == first) return;
    Vector own = gradient;
    if (field.kind() == CellField::Kind::per_element) own = Kokkos::subview(gradient, std::pair(first, next));
    tessera::detail::add_vector(exec, own, gradient_of<k>(exec, forms.of(block.mesh()), block, u, lambda));
    first = next;
  });
  exec.fence("Tessera::python::gradient");
  return gradient;
}
///@}

template <class Space, class Shipped>
class LinearisedOf final : public AnyLinearised {
  using System = LinearSystem<double, Exec>;
  using Weak = decltype(weak_of<ElementsOf<Space>::dimension>(std::declval<const Shipped&>()));
  static constexpr std::size_t num_fields = std::tuple_size_v<decltype(Weak::fields)>;

public:
  LinearisedOf(const Space& space, const Shipped& form, const System& system)
      : exec_(instance()), space_(space), form_(weak_over(space, form)), system_(system),
        plan_(assembly::ElementAtomic{}.plan(exec_, space, system.graph())) {}

  void set_form(const ResidualForm& form) override { form_ = weak_over(space_, std::get<Shipped>(form)); }

  void assemble(const Located<const double>& u) override {
    default_instance<Exec>(); // refuses after Kokkos' end
    plan_.assemble(jacobian(form_, space_.mesh(), readable(u)), system_);
  }

  void transposed_product(const Located<const double>& u, const Located<const double>& lambda,
                          const Located<double>& result) override {
    assemble(u);
    compute_vector(exec_, lambda, result, [&](const ConstVector& from, const Vector& to) {
      const System& matrix = transposed_matrix();
      const Vector y = allocate<Vector>(exec_, "Tessera::python::product", system_.num_rows());
      solvers::CrsOperator<double, Exec>(exec_, matrix.graph().row_map, matrix.graph().columns,
                                         matrix.values())
          .apply(exec_, to_equations(from), y);
      to_dofs(y, to);
    });
  }

  void solve_transposed(const Located<const double>& u, const Located<const double>& slope,
                        const Located<double>& lambda, const LinearOptions& options) override {
    assemble(u);
    compute_vector(exec_, slope, lambda, [&](const ConstVector& from, const Vector& to) {
      const System& matrix = transposed_matrix();
      const System adjoint(matrix.graph(), matrix.values(), to_equations(from));
      const Vector x = allocate_zeroed<Vector>(exec_, "Tessera::python::adjoint", system_.num_rows());
      krylov({{.relative_tolerance = options.relative}, options.relative}, options)(exec_, adjoint, x);
      Kokkos::parallel_for("Tessera::python::negate", Kokkos::RangePolicy<Exec>(exec_, 0, system_.num_rows()),
                           Negate{x});
      to_dofs(x, to);
    });
  }

  Vector gradient(std::size_t field, const Located<const double>& u,
                  const Located<const double>& lambda) override {
    Vector gradient;
    const ConstVector state = readable(u), weights = readable(lambda);
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      ((k == field ? void(gradient = gradient_of<static_cast<int>(k)>(exec_, form_, space_, state, weights))
                   : void()),
       ...);
    }(std::make_index_sequence<num_fields>());
    return gradient;
  }

  solvers::NewtonResult newton(const Located<double>& u, const solvers::NewtonOptions& options,
                               const LinearOptions& linear) override {
    default_instance<Exec>(); // refuses after Kokkos' end
    solvers::Newton method(exec_, space_, options);
    solvers::NewtonResult result;
    update_vector(exec_, u, [&](const Vector& state) {
      result = method.solve(form_, state, krylov({{.relative_tolerance = linear.relative}}, linear));
    });
    return result;
  }

private:
  HeardKrylov<Weak::symmetric> krylov(const solvers::KrylovWithJacobi<Weak::symmetric>& method,
                                      const LinearOptions& options) const {
    std::optional<solvers::MultigridNodes<Exec>> nodes;
    if (options.multigrid)
      nodes = solvers::Multigrid<Exec>::nodes_of(exec_, space_.equations(exec_), space_.mesh().coordinates());
    return {method, nodes, options.between};
  }
  /// The transpose of what was assembled.
  const System& transposed_matrix() {
    if constexpr (Weak::symmetric) {
      return system_;
    } else {
      if (!transposed_) transposed_.emplace(exec_, system_.graph());
      transpose(exec_, system_, *transposed_);
      return *transposed_;
    }
  }
  /// The unknowns among all degrees of freedom; zero for constrained ones that have an equation.
  Vector to_equations(const ConstVector& dofs) const {
    const Vector x = allocate<Vector>(exec_, "Tessera::python::unknowns", system_.num_rows());
    Kokkos::parallel_for(
        "Tessera::python::to_equations", Kokkos::RangePolicy<Exec>(exec_, 0, space_.num_dofs()),
        solvers::detail::ToEquations<Exec>{
            {space_.equations(exec_)}, tessera::detail::without_constrained(exec_, space_, dofs), x});
    return x;
  }
  /// The other way round.
  void to_dofs(const Vector& x, const Vector& dofs) const {
    Kokkos::deep_copy(exec_, dofs, space_.expand(exec_, x));
    tessera::detail::clear_constrained(exec_, space_.equations(exec_), space_.mesh().num_nodes(), dofs);
  }

  Exec exec_;
  Space space_;
  decltype(weak_over(std::declval<const Space&>(), std::declval<const Shipped&>())) form_;
  System system_;
  std::optional<System> transposed_;
  decltype(assembly::ElementAtomic{}.plan(std::declval<const Exec&>(), std::declval<const Space&>(),
                                          std::declval<const SparsityGraph<Exec>&>())) plan_;
};

} // namespace

template <class Space>
std::shared_ptr<AnyLinearised> linearised_of(const Space& space, const ResidualForm& form,
                                             const LinearSystem<double, Exec>& system) {
  if constexpr (ElementsOf<Space>::order != 1) {
    refuse_order(space);
  } else {
    return std::visit(
        [&]<class Shipped>(const Shipped& shipped) -> std::shared_ptr<AnyLinearised> {
          return make_kept<LinearisedOf<Space, Shipped>>(space, shipped, system);
        },
        form);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type.
#define TESSERA_LINEARISED(...)                                                                              \
  template std::shared_ptr<AnyLinearised> linearised_of(const __VA_ARGS__&, const ResidualForm&,             \
                                                        const LinearSystem<double, Exec>&);
#define TESSERA_LINEARISED_ELEMENT(Element) TESSERA_LINEARISED(FunctionSpace<Element, Exec>)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_LINEARISED_ELEMENT)
TESSERA_FOR_EACH_LIST(TESSERA_LINEARISED)

} // namespace tessera::python
