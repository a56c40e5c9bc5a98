// SPDX-License-Identifier: BSD-3-Clause
// Fans of tetrahedra, and residuals by the kernel that takes them, on every backend.

#include <tessera/strategies/residual/recomputing_residual.hpp>

#include "support/on_host.hpp"
#include "support/residuals.hpp"
#include <algorithm>
#include <vector>

namespace strategies_residual_fans {

using namespace tessera;
using test::on_host;

template <class Element, class ExecutionSpace>
struct FanChecks {
  using Checks = test::ResidualChecks<Element, ExecutionSpace>;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Fan = ElementFan<Element>;
  static constexpr int d = Element::dimension;

  static MeshType box() { return io::box_mesh<Element, ExecutionSpace>({{5, 4, 3}, {1.0, 0.7, 0.9}}); }

  /// Every element is in one fan, once, with its own nodes and its orientation; returns the number of fans.
  static Ordinal expect_all_elements(const MeshType& mesh) {
    const auto fans = element_fans(ExecutionSpace(), mesh.kernel());
    const auto nodes = on_host(fans.nodes);
    const auto elements = on_host(fans.elements);
    const auto connectivity = on_host(mesh.connectivity());
    const auto x = on_host(mesh.coordinates());
    std::vector<int> found(mesh.num_elements(), 0);
    for (Ordinal fan = 0; fan < fans.count(); ++fan) {
      std::vector<Ordinal> node;
      for (int n = 0; n < Fan::nodes; ++n) node.push_back(nodes(fan, n));
      for (int i = 0; i < Fan::most; ++i) {
        if (!Fan::has(node, i)) {
          EXPECT_EQ(elements(fan)(i), elements(fan)(i - 1)) << "beyond the end of fan " << fan;
          continue;
        }
        const Ordinal e = elements(fan)(i);
        ++found.at(e);
        std::vector<Ordinal> own, mine;
        Matrix<double, d> jacobian;
        for (int n = 0; n < Element::nodes; ++n) {
          own.push_back(connectivity(e, n));
          mine.push_back(node[Fan::node(i, n)]);
          for (int a = 0; n > 0 && a < d; ++a) jacobian(a, n - 1) = x(mine[n], a) - x(mine[0], a);
        }
        EXPECT_GT(determinant(jacobian), 0) << "element " << e;
        std::sort(own.begin(), own.end());
        std::sort(mine.begin(), mine.end());
        EXPECT_EQ(own, mine) << "element " << e;
      }
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), mesh.num_elements());
    return fans.count();
  }

  /// The residual by fans against the oracle.
  template <class Case>
  static void expect_oracle(const MeshType& mesh, const Case& c, Conflicts conflicts) {
    SCOPED_TRACE(c.name + " " + to_string(conflicts));
    constexpr int components = std::remove_cvref_t<decltype(c.form)>::components;
    const ExecutionSpace exec;
    const auto u = Checks::state(mesh.num_nodes() * components, 3);
    const auto expected = Checks::oracle(mesh, c, u);
    const auto fans = element_fans(exec, mesh.kernel());
    const ResultGather<Element, ExecutionSpace> gather(exec, fans.nodes, mesh.num_nodes(), conflicts);
    const auto weak = c.form.kernel(mesh.kernel());
    using Action = residual::detail::ResidualAction<std::remove_const_t<decltype(weak)>, ExecutionSpace>;
    using Work = element_loops::ElementWork<Action, Element, ExecutionSpace, double>;
    using Loop = element_loops::detail::FanLoop<Work>;
    const auto x = Checks::device(u), r = Checks::device(std::vector<double>(u.size(), 0.0));
    const auto equations = tessera::residual::detail::all_dofs<ExecutionSpace>(components, mesh.num_nodes());
    const auto sink = gather.template sink<components>(
        equations, r, gather.template buffer<double>(exec, Fan::nodes * components), gather.elements);
    Kokkos::parallel_for("Tessera::Test::fans", typename Loop::Policy(exec, 0, fans.count()),
                         Loop{{{weak, {}}, mesh.kernel(), {equations}, x}, fans, sink});
    gather.template finish<components>(exec, sink, x, r);
    exec.fence();
    Checks::expect_near(tessera::detail::host_vector<double>(r), expected, 1e-13);
  }

  static void expect_agreement() {
    for (const auto& mesh : {box(), Checks::Operators::bent_mesh()})
      for (const Conflicts conflicts : {Conflicts::atomics, Conflicts::gather}) {
        expect_oracle(mesh, Checks::everything(mesh), conflicts);
        expect_oracle(mesh, Checks::neo_hookean(), conflicts);
      }
  }
};

template <class ExecutionSpace>
class Fans : public ::testing::Test {};

TYPED_TEST_SUITE(Fans, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Fans, HaveEveryElementOnce) {
  FanChecks<Tet<1>, TypeParam>::expect_all_elements(
      test::ResidualChecks<Tet<1>, TypeParam>::Operators::bent_mesh());
}

TYPED_TEST(Fans, OfACubeAreItsSixTetrahedra) {
  const auto box = FanChecks<Tet<1>, TypeParam>::box();
  const Ordinal fans = FanChecks<Tet<1>, TypeParam>::expect_all_elements(box);
  EXPECT_EQ(fans * 6, box.num_elements());
}

TYPED_TEST(Fans, AgreeWithOracle) { FanChecks<Tet<1>, TypeParam>::expect_agreement(); }

} // namespace strategies_residual_fans
