// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a plan keeps for functions on sides, and how it adds them after the elements.

#include <tessera/core/allocate.hpp>
#include <tessera/core/fields/user_view.hpp>
#include <tessera/core/weak_form/detail/side_kernels.hpp>
#include <tessera/core/weak_form/detail/side_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::detail {

/// Launches a kernel with a thread for each of `count` places, where there are any.
template <class ExecutionSpace, class Kernel>
void run_on_sides(const ExecutionSpace& exec, const char* label, std::size_t count, const Kernel& kernel) {
  if (count > 0)
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(count)),
                         kernel);
}

/// What is integrated over a side.
enum class SidePart { vector, matrix };

/// Lists of the side sets of forms, made once for each set that is given again as the same view; memory for
/// the parts of a term's sides, one term and kind of sides after the other.
template <class Element, class ExecutionSpace>
class SideSums {
public:
  using MeshType = Mesh<Element, ExecutionSpace>;
  using SideSet = typename MeshType::SideSet;

  std::size_t bytes() const {
    std::size_t sum = parts_.span() * sizeof(double);
    for (const Lists& lists : lists_)
      for (const auto& rows : lists.of_kind) sum += rows.bytes();
    return sum;
  }

  /// `visit(SideIntegral, term)` for each term and each kind of sides.
  template <class Terms, class Visit>
  static void for_each_integral(const Terms& terms, const Visit& visit) {
    const auto of_term = [&](const auto& term) {
      using Term = std::remove_cvref_t<decltype(term)>;
      using Weak = decltype(term.kernel(MeshKernel<Element, ExecutionSpace>()));
      for_each_side_kind<Element>([&](auto kind) {
        visit(SideIntegral<Element, decltype(kind)::value, Term::template degree<Element>, Weak>(), term);
      });
    };
    std::apply([&](const auto&... term) { (of_term(term), ...); }, terms);
  }

  /// Makes what the terms need. Lists of sets that nobody else holds any more are given up.
  /// \throws ArgumentError, which begins with `who`, as `check_sides` and `user_view`; OutOfMemoryError
  template <class Terms>
  void prepare(const ExecutionSpace& exec, const std::string& who, const MeshType& mesh, const Terms& terms,
               SidePart part) {
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      make_lists<Integral>(exec, who, mesh, term);
      const auto wanted = parts_wanted<Integral>(term, part);
      if (parts_.extent(0) >= wanted) return;
      parts_ = {};
      parts_ = allocate<Parts>(exec, "Tessera::SideSums::parts", wanted);
    });
  }

  template <class Terms>
  bool is_prepared(const Terms& terms, SidePart part) const {
    bool prepared = true;
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      prepared = prepared && find(term.sides, Integral::tests_gradient) &&
                 parts_.extent(0) >= parts_wanted<Integral>(term, part);
    });
    return prepared;
  }

  /// r += the terms' residuals at u, over all degrees of freedom; does not wait. Elements whose sides have
  /// none go to `status`.
  template <class Terms, class Scalar, class Status>
  void add_residual(const ExecutionSpace& exec, const MeshType& mesh, const Terms& terms,
                    const Status& status, const Kokkos::View<const Scalar*, ExecutionSpace>& u,
                    const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      const auto& rows = rows_of<Integral>(term);
      run_on_sides(exec, "Tessera::SideSums::residual", rows.sides.extent(0),
                   IntegrateSideResidual<Integral, ExecutionSpace, Scalar, Status>{
                       mesh.kernel(), rows.sides, term.kernel(mesh.kernel()), u, parts_, status});
      run_on_sides(exec, "Tessera::SideSums::add_residual", rows.nodes.extent(0),
                   AddSideResidual<Integral, ExecutionSpace, Scalar>{rows, parts_, r});
    });
  }

  /// Adds the Jacobians of terms at their states u to a system, and K u - r to its right-hand side; does not
  /// wait.
  template <class Terms, class Status, class System>
  void add_jacobian(const ExecutionSpace& exec, const MeshType& mesh, const Terms& terms,
                    const Status& status, const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
                    const System& system) const {
    using Scalar = typename decltype(system.values)::non_const_value_type;
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      const auto sides = integrated<Integral>(exec, mesh, term, status, parts_);
      run_on_sides(exec, "Tessera::SideSums::add_jacobian", sides.rows.nodes.extent(0),
                   AddSideJacobian<Matrices<Integral>, ExecutionSpace, Scalar>{
                       sides, system.equations, system.row_map, columns, system.values, system.rhs});
    });
  }

  /// Adds to a right-hand side alone what `add_jacobian` adds to a system's; does not wait.
  template <class Terms, class Status, class Scalar>
  void add_loads(const ExecutionSpace& exec, const MeshType& mesh, const Terms& terms, const Status& status,
                 const Equations<ExecutionSpace>& equations,
                 const Kokkos::View<Scalar*, ExecutionSpace>& rhs) const {
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      const auto sides = integrated<Integral>(exec, mesh, term, status, parts_);
      run_on_sides(exec, "Tessera::SideSums::add_loads", sides.rows.nodes.extent(0),
                   AddSideLoads<Matrices<Integral>, ExecutionSpace, Scalar>{sides, equations, rhs});
    });
  }

  /// The Jacobians of terms at their states, in memory of their own, for those that do not assemble; does not
  /// wait.
  /// \throws as `prepare`
  template <int Components, class Terms, class Status>
  std::vector<SideMatrices<Element, ExecutionSpace, Components>>
  matrices(const ExecutionSpace& exec, const std::string& who, const MeshType& mesh, const Terms& terms,
           const Status& status) {
    std::vector<SideMatrices<Element, ExecutionSpace, Components>> result;
    for_each_integral(terms, [&](auto integral, const auto& term) {
      using Integral = decltype(integral);
      make_lists<Integral>(exec, who, mesh, term);
      const auto parts = allocate<Parts>(exec, "Tessera::SideSums::matrices",
                                         parts_wanted<Integral>(term, SidePart::matrix));
      result.push_back(integrated<Integral>(exec, mesh, term, status, parts));
    });
    return result;
  }

private:
  using Parts = Kokkos::View<double*, ExecutionSpace>;
  template <class Integral>
  using Matrices = SideMatrices<Element, ExecutionSpace, Integral::components>;
  struct Lists {
    SideSet set;
    bool of_elements; ///< all functions of the elements behind are tested
    std::array<SideRows<ExecutionSpace>, to_size(SidesOf<Element>::count)> of_kind;
  };

  template <class View>
  const Lists* find(const View& set, bool of_elements) const {
    for (const Lists& lists : lists_)
      if (lists.set.data() == set.data() && lists.set.extent(0) == set.extent(0) &&
          lists.of_elements == of_elements)
        return &lists;
    return nullptr;
  }
  template <class Integral, class Term>
  const SideRows<ExecutionSpace>& rows_of(const Term& term) const {
    return find(term.sides, Integral::tests_gradient)->of_kind[to_size(Integral::kind)];
  }
  template <class Integral, class Term>
  std::size_t parts_wanted(const Term& term, SidePart part) const {
    return rows_of<Integral>(term).parts.extent(0) *
           to_size(part == SidePart::vector ? Integral::vector_size : Integral::matrix_size);
  }
  /// Those of a term's set, if they are not there. Lists of sets that nobody else holds go.
  template <class Integral, class Term>
  void make_lists(const ExecutionSpace& exec, const std::string& who, const MeshType& mesh,
                  const Term& term) {
    const auto set = user_view<SideSet>(who + ": on_sides", term.sides);
    if (find(set, Integral::tests_gradient)) return;
    check_sides(exec, who + ": on_sides: ", mesh, set);
    std::erase_if(lists_, [](const Lists& lists) { return lists.set.use_count() == 1; });
    Lists lists{set, Integral::tests_gradient, {}};
    for_each_side_kind<Element>([&](auto kind) {
      constexpr int Kind = decltype(kind)::value;
      lists.of_kind[to_size(Kind)] = side_rows<Kind, Integral::tests_gradient>(exec, mesh, set);
    });
    lists_.push_back(lists);
  }
  /// Fills `parts` with a term's Jacobians.
  template <class Integral, class Term, class Status>
  Matrices<Integral> integrated(const ExecutionSpace& exec, const MeshType& mesh, const Term& term,
                                const Status& status, const Parts& parts) const {
    const auto& rows = rows_of<Integral>(term);
    run_on_sides(exec, "Tessera::SideSums::jacobian", rows.sides.extent(0),
                 IntegrateSideJacobian<Integral, ExecutionSpace, Status>{
                     mesh.kernel(),
                     rows.sides,
                     {term.kernel(mesh.kernel()), mesh.connectivity(), term.state},
                     parts,
                     status});
    return {rows, mesh.connectivity(), parts, Integral::Tested::count};
  }
  std::vector<Lists> lists_;
  Parts parts_;
};

} // namespace tessera::detail
