// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/strategies/catalogue/any_operator.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/by_name.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/shipped_forms.hpp"
#include <array>
#include <cmath>
#include <compiled_elements.hpp>
#include <random>
#include <type_traits>
#include <vector>

namespace tessera::test {

/// How often a result is made again, to see that its bits are the same: threads and devices change their
/// order.
template <class ExecutionSpace>
int repetitions() {
  return ExecutionSpace().concurrency() == 1 ? 1 : 3;
}

/// Matrix-free operators of one element on a mesh that is sheared, bent and shuffled.
template <class Element, class ExecutionSpace>
class OperatorChecks {
public:
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  static constexpr bool by_name =
      is_in<Element, CompiledElements> && has_any_operator<Element, ExecutionSpace>;
  /// What compiles long is checked with one unknown a node alone.
  static constexpr bool has_vectors = by_name || Element::order <= 2;

  /// No element is an affine image of the reference element.
  static MeshType bent_mesh() {
    // Fewer elements of many nodes, whose oracles take long.
    constexpr bool few = Element::nodes > (Element::dimension == 3 ? 8 : 16);
    const std::array<int, 3> cells =
        few ? std::array{2, 2, Element::nodes > 12 ? 1 : 2} : std::array{4, 3, 2};
    HostMesh<Element, ExecutionSpace> host(distorted_box<Element, ExecutionSpace>({cells, {1.3, 1.0, 0.8}}));
    for (std::size_t n = 0; n < host.coordinates.extent(0); ++n) {
      const double x = host.coordinates(n, 0), y = host.coordinates(n, 1);
      host.coordinates(n, 0) += 0.03 * std::sin(4 * x * y);
      host.coordinates(n, 1) -= 0.02 * x * y;
    }
    for (std::size_t e = 0; e < host.connectivity.extent(0); ++e)
      host.materials.push_back(e % 3 == 0 ? 1 : 0);
    return host.mesh();
  }

  static void add_robin(Space& space) {
    const typename MeshType::SideSet sides("Tessera::Test::sides", 3);
    const auto host = Kokkos::create_mirror_view(sides);
    const Ordinal elements = space.mesh().num_elements();
    for (int s = 0; s < 3; ++s) host(s, 0) = 2 * s % elements, host(s, 1) = s;
    Kokkos::deep_copy(sides, host);
    std::vector<double> transfers; // of each component its own
    for (int c = 0; c < space.components(); ++c) transfers.push_back(1.5 - 0.5 * c);
    space.add_robin(
        sides, [&](const auto&) -> const std::vector<double>& { return transfers; },
        [](const auto& x) { return x(0); });
  }

  /// Random numbers in [-1, 1] that differ from seed to seed.
  static std::vector<double> random(std::size_t count, int seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(count);
    for (double& value : values) value = uniform(generator);
    return values;
  }

  /// Calls visit(info, op) with the operator of every strategy: by name where the catalogue's library has it.
  template <class Form, class Visit>
  static void for_each_operator(const Form& form, const Space& space, const Visit& visit) {
    if constexpr (by_name && is_shipped<Form, Element::dimension>)
      for (const StrategyInfo& info : operator_strategies())
        visit(info, *make_operator(info.name, space, form));
    else
      for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
        visit(catalogue::detail::info_of(variant),
              variant.strategy.plan(space).template prepare<double>(form));
      });
  }

  template <class Operator>
  static std::vector<double> product(const Operator& op, const std::vector<double>& x) {
    const Vector device_x("Tessera::Test::x", x.size()), y("Tessera::Test::y", x.size());
    Kokkos::deep_copy(device_x, Kokkos::View<const double*, Kokkos::HostSpace>(x.data(), x.size()));
    Kokkos::deep_copy(y, NAN);
    op.apply(ExecutionSpace(), device_x, y);
    return tessera::detail::host_vector<double>(y);
  }

  /// Products, right-hand side and diagonal against the oracle; symmetry.
  template <class Form>
  static void expect_oracle(const Form& form, const Space& space, double tolerance = 1e-13) {
    const auto reference = reference_assembly(form, space, sparsity_graph(ExecutionSpace(), space));
    const std::size_t rows = reference.rhs.size();
    const std::vector<double> x = random(rows, 1), z = random(rows, 2);
    std::vector<double> kx(rows, 0.0), scale(rows, 1.0), diagonal(rows, 0.0);
    double rhs_scale = 0, size = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      rhs_scale = std::max(rhs_scale, std::abs(reference.rhs[r]));
      for (Offset k = reference.row_map[r]; k < reference.row_map[r + 1]; ++k) {
        kx[r] += reference.values[k] * x[reference.columns[k]];
        if (k == reference.row_map[r]) scale[r] = 0;
        scale[r] = std::max(scale[r], std::abs(reference.values[k]));
        if (reference.columns[k] == static_cast<Ordinal>(r)) diagonal[r] = reference.values[k];
      }
      size += scale[r];
    }
    for_each_operator(form, space, [&](const StrategyInfo& info, const auto& op) {
      SCOPED_TRACE(info.name + ", " + Element::name + ", " + std::to_string(space.components()) +
                   " components");
      const ExecutionSpace exec;
      ASSERT_EQ(op.rows(), rows);
      const std::vector<double> y = product(op, x);
      const Vector f("Tessera::Test::f", rows), d("Tessera::Test::d", rows);
      Kokkos::deep_copy(f, 3.0);
      op.load(exec, f);
      op.diagonal(exec, d);
      const auto load = tessera::detail::host_vector<double>(f),
                 operator_diagonal = tessera::detail::host_vector<double>(d);
      for (std::size_t r = 0; r < rows; ++r) {
        ASSERT_NEAR(y[r], kx[r], tolerance * scale[r]) << "row " << r;
        ASSERT_NEAR(load[r], reference.rhs[r], tolerance * rhs_scale) << "row " << r;
        ASSERT_NEAR(operator_diagonal[r], diagonal[r], tolerance * scale[r]) << "row " << r;
      }
      const std::vector<double> kz = product(op, z);
      double zkx = 0, xkz = 0, xkx = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        zkx += z[r] * y[r];
        xkz += x[r] * kz[r];
        xkx += x[r] * y[r];
      }
      EXPECT_NEAR(zkx, xkz, tolerance * size);
      EXPECT_GE(xkx, -tolerance * size);
      if (info.deterministic || exec.concurrency() == 1) {
        for (int repetition = 0; repetition < repetitions<ExecutionSpace>(); ++repetition)
          EXPECT_EQ(product(op, x), y) << "repetition " << repetition;
      }
    });
  }

  /// Every shipped form, unconstrained and under both treatments of constraints.
  static void expect_agreement() {
    const auto mesh = bent_mesh();
    for_each_shipped_form<ExecutionSpace, Element::dimension>([&]<class Form>(const Form& form) {
      if constexpr (has_vectors || Form::components == 1) {
        expect_oracle(form, {mesh, Form::components});
        for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
          SCOPED_TRACE(treatment == ConstraintTreatment::removed ? "removed" : "zeroed");
          Space space(mesh, Form::components, treatment);
          test::constrain(space);
          add_robin(space);
          expect_oracle(form, space);
        }
      }
    });
  }

  /// Translations and infinitesimal rotations, or constants, cost no energy; a straight affine mesh takes the
  /// affine path.
  static void expect_rigid_modes() {
    for (const auto& mesh :
         {bent_mesh(), io::box_mesh<Element, ExecutionSpace>({{3, 2, 2}, {1.0, 0.7, 0.9}})}) {
      using Form = std::conditional_t<has_vectors, LinearElasticity<Element::dimension>, Helmholtz<>>;
      constexpr int d = Form::components;
      const Space space(mesh, d);
      const auto coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
      const Form form{};
      for_each_operator(form, space, [&](const StrategyInfo& info, const auto& op) {
        SCOPED_TRACE(info.name + ", " + Element::name);
        for (int a = 0; a < d; ++a)
          for (int b = a; b < d; ++b) { // a == b: translation along a; else rotation in the plane of a and b
            std::vector<double> mode(op.rows(), 0.0);
            for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
              if (a == b)
                mode[n * d + a] = 1;
              else {
                mode[n * d + a] = -coordinates(n, b);
                mode[n * d + b] = coordinates(n, a);
              }
            for (double force : product(op, mode))
              ASSERT_NEAR(force, 0.0, 1e-12) << "axes " << a << " and " << b;
          }
      });
    }
  }
};

} // namespace tessera::test
