// SPDX-License-Identifier: BSD-3-Clause
// The oracle: its scale, its samples, and forms that it does not know.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace core_system_reference_assembly {

using namespace tessera;
using Space = Kokkos::DefaultHostExecutionSpace;

/// A system as `system_error` sees it, from lists.
struct Lists {
  Kokkos::View<double*, Space> values_, rhs_;
  explicit Lists(const ReferenceSystem& reference)
      : values_("Tessera::Test::values", reference.values.size()),
        rhs_("Tessera::Test::rhs", reference.rhs.size()) {
    std::copy(reference.values.begin(), reference.values.end(), values_.data());
    std::copy(reference.rhs.begin(), reference.rhs.end(), rhs_.data());
  }
  const auto& values() const { return values_; }
  const auto& rhs() const { return rhs_; }
};

FunctionSpace<Hex<1>, Space> hexahedra() {
  FunctionSpace<Hex<1>, Space> space(test::distorted_box<Hex<1>, Space>({{6, 5, 4}, {1.3, 1.0, 0.8}}), 3);
  for (Ordinal node = 0; node < space.mesh().num_nodes(); node += 7) space.constrain(node, 1, 0.1 * node);
  space.add_point_load(3, 0, 2.0);
  return space;
}

TEST(Oracle, SampleHoldsTheSameRows) {
  const auto space = hexahedra();
  const auto graph = sparsity_graph(Space(), space);
  LinearElasticity<3> form{.young = 3.0, .poisson = 0.2};
  form.body_force[1] = 2;
  const auto whole = reference_assembly(form, space, graph),
             sample = reference_assembly(form, space, graph, 50);
  ASSERT_EQ(whole.rows.size(), static_cast<std::size_t>(graph.num_rows()));
  EXPECT_GT(sample.rows.size(), 25u);
  EXPECT_LT(sample.rows.size(), 100u);
  for (std::size_t r = 0; r < sample.rows.size(); ++r) {
    const Ordinal row = sample.rows[r];
    ASSERT_EQ(sample.row_map[r + 1] - sample.row_map[r], whole.row_map[row + 1] - whole.row_map[row]);
    EXPECT_EQ(sample.begin[r], whole.row_map[row]);
    EXPECT_EQ(sample.rhs[r], whole.rhs[row]); // bitwise: the order of the sums is that of the elements
    EXPECT_EQ(sample.rhs_scale[r], whole.rhs_scale[row]);
    for (Offset k = 0; k < sample.row_map[r + 1] - sample.row_map[r]; ++k) {
      EXPECT_EQ(sample.columns[sample.row_map[r] + k], whole.columns[whole.row_map[row] + k]);
      EXPECT_EQ(sample.values[sample.row_map[r] + k], whole.values[whole.row_map[row] + k]);
    }
  }
}

TEST(Oracle, SamplesAreSpreadAndSeeWhatIsWrongInThem) {
  const auto space = hexahedra();
  const auto graph = sparsity_graph(Space(), space);
  const LinearElasticity<3> form{};
  const auto whole = reference_assembly(form, space, graph),
             sample = reference_assembly(form, space, graph, 60);
  const Ordinal middle = graph.num_rows() / 2;
  EXPECT_LT(sample.rows.front(), middle);
  EXPECT_GT(sample.rows.back(), middle);
  const Lists system(whole);
  EXPECT_EQ(system_error<double>(system, sample).max(), 0);
  system.values_(sample.begin[4]) *= 1.01;
  EXPECT_GT(system_error<double>(system, sample).matrix, 1e-6);
  // What is not a number is seen in every row.
  const Lists damaged(whole);
  Ordinal other = 0;
  while (sample.find(other) != ReferenceSystem::absent) ++other;
  damaged.values_(whole.row_map[other]) = NAN;
  EXPECT_EQ(system_error<double>(damaged, sample).matrix, INFINITY);
  damaged.rhs_(other) = NAN;
  EXPECT_EQ(system_error<double>(damaged, sample).rhs, INFINITY);
}

TEST(Oracle, ScaleIsTheSizeOfWellShapedEntries) {
  // One unit cube, Laplace: no minor cancels, and the scale is that of the gradients.
  const FunctionSpace<Hex<1>, Space> space(io::box_mesh<Hex<1>, Space>({{1, 1, 1}, {1, 1, 1}}), 1);
  const auto reference = reference_assembly(Helmholtz<>{}, space, sparsity_graph(Space(), space));
  for (std::size_t k = 0; k < reference.values.size(); ++k) {
    EXPECT_GE((1 + 1e-12) * reference.scale[k], std::abs(reference.values[k]));
    EXPECT_LT(reference.scale[k], 2.0);
  }
}

/// A tetrahedron of unit size and of the given height above a plane that no axis is in.
FunctionSpace<Tet<1>, Space> tetrahedron(double height) {
  using MeshType = Mesh<Tet<1>, Space>;
  MeshType::Coordinates x("Tessera::Test::x", 4);
  MeshType::Connectivity nodes("Tessera::Test::nodes", 1);
  const double corner[4][3] = {{0.1, 0.2, 0.3}, {1.1, 0.9, -0.4}, {-0.3, 1.0, 0.7}, {0.25, 0.85, 0.15}};
  // The last node's distance from the plane of the others, as `height` wants it.
  const double normal[3] = {1.0 / 3, 1.0 / 2, 1.0};
  double base = 0, length = 0;
  for (int d = 0; d < 3; ++d) {
    base += normal[d] * (corner[3][d] - corner[0][d]);
    length += normal[d] * normal[d];
  }
  for (int n = 0; n < 4; ++n)
    for (int d = 0; d < 3; ++d)
      x(n, d) = n == 3 ? corner[n][d] - (base / length - height) * normal[d] : corner[n][d];
  // Put the first three into that plane, too.
  for (int n = 1; n < 3; ++n) {
    double off = 0;
    for (int d = 0; d < 3; ++d) off += normal[d] * (corner[n][d] - corner[0][d]);
    for (int d = 0; d < 3; ++d) x(n, d) -= off / length * normal[d];
  }
  double det = 0;
  for (int i = 0; i < 3; ++i) {
    const auto e = [&](int n, int d) { return x(n, d) - x(0, d); };
    det += e(1, i) * (e(2, (i + 1) % 3) * e(3, (i + 2) % 3) - e(2, (i + 2) % 3) * e(3, (i + 1) % 3));
  }
  for (int n = 0; n < 4; ++n) nodes(0, n) = n;
  if (det < 0) std::swap(nodes(0, 1), nodes(0, 2));
  return FunctionSpace<Tet<1>, Space>(MeshType(x, nodes), 1);
}

TEST(Oracle, SliversAreMeasuredByWhatTheyCancel) {
  // The nodes' order changes every rounding and no value: the difference is the rounding of a right result.
  for (const double height : {1e-1, 1e-3, 1e-5, 1e-7}) {
    const auto space = tetrahedron(height);
    const auto& mesh = space.mesh();
    Mesh<Tet<1>, Space>::Connectivity turned("Tessera::Test::turned", 1);
    const int order[4] = {1, 3, 2, 0}; // an even permutation
    for (int n = 0; n < 4; ++n) turned(0, n) = mesh.connectivity()(0, order[n]);
    const Mesh<Tet<1>, Space>::Coordinates same("Tessera::Test::same", 4);
    Kokkos::deep_copy(same, mesh.coordinates());
    const FunctionSpace<Tet<1>, Space> other(Mesh<Tet<1>, Space>(same, turned), 1);
    const Helmholtz<> form{.lambda = 0.0, .source = 1.0};
    const auto graph = sparsity_graph(Space(), space);
    const auto reference = reference_assembly(form, space, graph),
               again = reference_assembly(form, other, graph);
    EXPECT_LE(system_error<double>(Lists(again), reference).max(), 1e-14) << height;
    // Relative to the row's largest entry, the same difference passes for an error.
    double largest = 0, difference = 0;
    for (std::size_t k = 0; k < reference.values.size(); ++k) {
      largest = std::max(largest, std::abs(reference.values[k]));
      difference = std::max(difference, std::abs(reference.values[k] - again.values[k]));
    }
    if (height == 1e-5) {
      EXPECT_GT(difference / largest, 1e-13);
    }
  }
}

/// Diffusion and advection: not symmetric, and unknown to the oracle.
struct DiffusionAdvection {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      Matrix<Real, 1> k;
      k(0, 0) = gradient_product(point, i, j) + point.gradient(j, 0) * point.value(i);
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = point.position(0) * point.value(i);
      return f;
    }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point};
  }
  DiffusionAdvection kernel() const { return *this; }
};

TEST(Oracle, TakesAnyForm) {
  const FunctionSpace<Quad<1>, Space> space(io::box_mesh<Quad<1>, Space>({{3, 2}, {1.5, 1.0}}), 1);
  const auto reference = reference_assembly(DiffusionAdvection{}, space, sparsity_graph(Space(), space));
  // Rows of K sum to zero; columns of the advection do not: int phi_i du/dx of u = x is int phi_i.
  double total = 0, moment = 0;
  for (std::size_t row = 0; row + 1 < reference.row_map.size(); ++row) {
    double sum = 0;
    for (Offset k = reference.row_map[row]; k < reference.row_map[row + 1]; ++k) {
      sum += reference.values[k];
      moment += reference.values[k] * space.mesh().coordinates()(reference.columns[k], 0);
    }
    EXPECT_NEAR(sum, 0, 1e-14);
    total += reference.rhs[row];
  }
  EXPECT_NEAR(moment, 1.5, 1e-14);            // int du/dx = area
  EXPECT_NEAR(total, 0.5 * 1.5 * 1.5, 1e-14); // int x
}

TEST(HostThreads, RunEachPartAndKeepTheFirstFailure) {
  std::vector<int> seen;
  int threads = 0;
  detail::on_host_threads([&](int thread, int count) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    seen.push_back(thread);
    threads = count;
  });
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), static_cast<std::size_t>(threads));
  EXPECT_THROW(detail::on_host_threads([](int thread, int) {
                 if (thread == 0) throw FormError("part 0");
               }),
               FormError);
}

} // namespace core_system_reference_assembly
