// SPDX-License-Identifier: BSD-3-Clause
// Functions on sides inside a mesh: the order of a face's corners says whose side it is, and with that where
// the normal points and whose gradient is seen.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/solvers/newton.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/side_terms.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace strategies_residual_internal_sides {

using namespace tessera;
using namespace tessera::test::sides;
using Element = Hex<1>;

/// The unit cube, and the faces at half of its length.
struct Cut {
  Mesh<Element, ExecutionSpace> mesh = io::box_mesh<Element, ExecutionSpace>({{4, 2, 3}, {1, 1, 1}});
  std::vector<double> x = [this] {
    const auto places = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    std::vector<double> first(places.extent(0));
    for (std::size_t node = 0; node < first.size(); ++node) first[node] = places(node, 0);
    return first;
  }();

  /// With corners in the order in which the normal points along x, or against it.
  Mesh<Element, ExecutionSpace>::SideSet sides(bool along_x) const {
    constexpr auto side_nodes = Element::side_nodes();
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    std::vector<std::array<Ordinal, 4>> faces;
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (const auto& side : side_nodes) {
        std::array<Ordinal, 4> face;
        for (std::size_t n = 0; n < 4; ++n) face[n] = nodes(e, side[n]);
        const bool on_cut =
            std::all_of(face.begin(), face.end(), [&](Ordinal n) { return x[to_size(n)] == 0.5; });
        if (!on_cut || x[to_size(nodes(e, 0))] == 0.5) continue; // node 0 has the element's least x
        if (!along_x) std::reverse(face.begin(), face.end());
        faces.push_back(face);
      }
    const Kokkos::View<Ordinal* [4], Kokkos::HostSpace> view("Tessera::Test::faces", faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f)
      for (std::size_t n = 0; n < 4; ++n) view(f, n) = faces[f][n];
    return sides_of_faces(mesh, view);
  }
};

/// What flows through.
struct Flux {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.normal(0) * p.grad_u(0);
    for (int d = 1; d < 3; ++d) f += p.normal(d) * p.grad_u(d);
    return f;
  }
};

TEST(InternalSides, SeeTheGradientAndTheNormalOfTheSideThatIsStated) {
  const Cut cut;
  const FunctionSpace<Element, ExecutionSpace> space(cut.mesh, 1);
  Values u(cut.x.size());
  for (std::size_t n = 0; n < u.size(); ++n) // of slope 2 on the left and 5 on the right
    u[n] = 1 + 2 * cut.x[n] + 3 * std::max(0.0, cut.x[n] - 0.5);
  const auto through = [&](bool along_x) {
    const auto form = weak_form(Nothing<>{}).on_sides(cut.sides(along_x), Flux{});
    EXPECT_LE(check_jacobian(form, space, test::to_device<ExecutionSpace>(u)), 1e-7);
    const Values r = Problem<Element>{}.residual(space, form, u);
    return std::accumulate(r.begin(), r.end(), 0.0);
  };
  EXPECT_NEAR(through(true), 2, 1e-12);
  EXPECT_NEAR(through(false), -5, 1e-12);
}

/// A source on a face.
struct Source {
  double strength;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return -strength + 0.0 * p.u;
  }
};

/// Between ends at zero it has a ridge, from either side.
TEST(InternalSides, CarrySourcesWhicheverSideIsStated) {
  const Cut cut;
  FunctionSpace<Element, ExecutionSpace> space(cut.mesh, 1);
  for (const char* end : {"xmin", "xmax"}) space.constrain(cut.mesh.node_set(end), {0.0});
  for (const bool along_x : {true, false}) {
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", cut.x.size());
    const auto form = weak_form(Laplace{}).on_sides(cut.sides(along_x), Source{3});
    ASSERT_TRUE(solvers::Newton(space, {.relative_tolerance = 1e-12}).solve(form, u).converged());
    const auto found = test::to_host(u);
    for (std::size_t n = 0; n < found.size(); ++n)
      ASSERT_NEAR(found[n], 1.5 * std::min(cut.x[n], 1 - cut.x[n]), 1e-10) << "node " << n;
  }
}

TEST(InternalSides, AreRefusedFromBothSidesAtOnce) {
  const Cut cut;
  const auto one = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cut.sides(true)),
             other = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cut.sides(false));
  Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> both("Tessera::Test::sides", 2);
  const auto host = Kokkos::create_mirror_view(both);
  for (int k : {0, 1}) host(0, k) = one(0, k), host(1, k) = other(0, k);
  Kokkos::deep_copy(both, host);
  const FunctionSpace<Element, ExecutionSpace> space(cut.mesh, 1);
  test::expect_throw_with<ArgumentError>(
      [&] {
        Problem<Element>{}.residual(space, weak_form(Nothing<>{}).on_sides(both, Source{1}),
                                    Values(cut.x.size()));
      },
      "are the same face");
}

} // namespace strategies_residual_internal_sides
