// SPDX-License-Identifier: BSD-3-Clause
// RowOwner: it agrees with the oracle around crowded nodes too, bad input is named, and results do not change
// from run to run.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/fan.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace strategies_assembly_row_owner {

using namespace tessera;
using test::on_host;

template <class ExecutionSpace>
class RowOwnerTest : public ::testing::Test {};
TYPED_TEST_SUITE(RowOwnerTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class Scalar, class Form, class Element, class ExecutionSpace>
void check_agreement(const Mesh<Element, ExecutionSpace>& mesh, const Form& form, long scratch_bytes) {
  SCOPED_TRACE(std::string(Element::name) + ", components " + std::to_string(Form::components) +
               ", scratch " + std::to_string(scratch_bytes) + (sizeof(Scalar) == 8 ? ", double" : ", float"));
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, treatment);
    space.constrain(3, 0, 1.5);
    space.constrain(70, 0, -2.0);
    const LinearSystem<Scalar, ExecutionSpace> system(space);
    const ReferenceSystem reference = reference_assembly(form, space, system.graph());
    const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN(); // what is not written stays
    Kokkos::deep_copy(system.values(), nan);
    Kokkos::deep_copy(system.rhs(), nan);
    assembly::RowOwner{.scratch_bytes = scratch_bytes}.plan(space, system.graph()).assemble(form, system);
    const SystemError error = system_error<Scalar>(system, reference);
    EXPECT_LE(error.matrix, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
    EXPECT_LE(error.rhs, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
  }
}

/// Coefficients of every kind: a number, one per material and one per element.
template <class Mesh>
Helmholtz<> mixed_form(const Mesh& mesh) {
  using ExecutionSpace = typename Mesh::execution_space;
  Kokkos::View<double*, ExecutionSpace> lambda("Tessera::Test::lambda", mesh.num_elements());
  const auto host = Kokkos::create_mirror_view(lambda);
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) host(e) = 1 + e % 7;
  Kokkos::deep_copy(lambda, host);
  return {.sigma = 2.0,
          .lambda = CellField::per_element(lambda),
          .source = CellField::per_material<ExecutionSpace>(std::vector<double>(mesh.num_materials(), 3.0))};
}

/// With all the scratch there is; with room for a slice of the ring's nodes; with none but for crowded nodes.
template <class Element, class ExecutionSpace>
void check_fan() {
  constexpr long width = tessera::assembly::detail::NodeStars<Element, ExecutionSpace>::width,
                 dimension = Element::dimension;
  const auto mesh = test::fan<Element, ExecutionSpace>(150);
  const Helmholtz<> uniform{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
  const Helmholtz<> varying{.sigma = CellField::per_material<ExecutionSpace>({1.0, 7.5}), .lambda = 0.5};
  for (const long neighbors : {0L, (dimension + 2) * width, width}) {
    check_agreement<double>(mesh, uniform, neighbors * (dimension + 1) * 8);
    check_agreement<float>(mesh, uniform, neighbors * (dimension + 1) * 8);
    check_agreement<double>(mesh, varying, neighbors * (dimension + 1) * 8);
    check_agreement<double>(mesh, mixed_form(mesh), neighbors * (dimension + 1) * 8);
  }
}

TYPED_TEST(RowOwnerTest, AgreesWithOracleAroundCrowdedTriangles) { check_fan<Tri<1>, TypeParam>(); }
TYPED_TEST(RowOwnerTest, AgreesWithOracleAroundCrowdedTetrahedra) { check_fan<Tet<1>, TypeParam>(); }

/// Nodes inside, on sides and on edges of the box have lists of different lengths.
TYPED_TEST(RowOwnerTest, AgreesWithOracleOnTetrahedraOfABox) {
  const auto mesh = test::distorted_box<Tet<1>, TypeParam>({{9, 8, 7}});
  const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
  for (const long scratch_bytes : {0L, 8000L}) {
    check_agreement<double>(mesh, form, scratch_bytes);
    check_agreement<float>(mesh, form, scratch_bytes);
    check_agreement<double>(mesh, mixed_form(mesh), scratch_bytes);
    check_agreement<float>(mesh, mixed_form(mesh), scratch_bytes);
  }
}

/// Two components in closed form: blocks of a scalar form's entries times a matrix.
struct PairKernel {
  static constexpr int components = 2;
  static constexpr bool symmetric = false;
  decltype(Helmholtz<>().kernel()) scalar;

  template <class Integral, class Real>
  struct Blocks {
    Integral integral;
    KOKKOS_FUNCTION Matrix<Real, 2> stiffness(int i, int j) const {
      const Real k = integral.stiffness(i, j)(0, 0);
      Matrix<Real, 2> block;
      for (int ab = 0; ab < 4; ++ab) block.entry[ab] = k * value_type_t<Real>(1 + ab);
      return block;
    }
    KOKKOS_FUNCTION Vector<Real, 2> load(int i) const {
      Vector<Real, 2> load;
      for (int a = 0; a < 2; ++a) load(a) = integral.load(i)(0) * value_type_t<Real>(3 - a);
      return load;
    }
  };
  template <class Element, class Real>
  KOKKOS_FUNCTION auto over(const Simplex<Element, Real>& simplex) const {
    return Blocks<decltype(scalar.over(simplex)), Real>{scalar.over(simplex)};
  }
};
struct PairForm {
  static constexpr int components = 2;
  Helmholtz<> scalar;
  PairKernel kernel() const { return {scalar.kernel()}; }
};

/// Diffusion and a spring, -div(a grad u) + k u = 0, as an application writes it, with all that a form may
/// offer. The row sum that it states is `Rows` times its own, which shows in the matrix if that is what
/// counts.
template <int Rows, class Field>
struct SpringKernel {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  Field spring, diffusion;

  template <class Element, class Real>
  struct Integral {
    HelmholtzOnSimplex<Element, Real> scalar;
    KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const { return scalar.stiffness(i, j); }
    KOKKOS_FUNCTION Vector<Real, 1> load(int i) const { return scalar.load(i); }
    KOKKOS_FUNCTION Matrix<Real, 1> row_sum() const {
      Matrix<Real, 1> sum = scalar.row_sum();
      sum(0, 0) *= Real(value_type_t<Real>(Rows));
      return sum;
    }
  };
  template <class Element, class Real>
  KOKKOS_FUNCTION Integral<Element, Real> over(const Simplex<Element, Real>& simplex) const {
    return {{simplex, diffusion.template in<Real>(simplex.cell()), spring.template in<Real>(simplex.cell()),
             Real(value_type_t<Real>(0))}};
  }

  static constexpr int cell_fields() { return 2; }
  KOKKOS_FUNCTION const Field& field(int i) const { return i == 0 ? spring : diffusion; }
  template <class Other>
  KOKKOS_FUNCTION SpringKernel<Rows, Other> with_fields(const Other (&fields)[2]) const {
    return {fields[0], fields[1]};
  }
};
template <int Rows>
struct Spring {
  static constexpr int components = 1;
  CellField spring, diffusion;
  SpringKernel<Rows, CellFieldKernel> kernel() const {
    return {coefficient_kernel(spring), coefficient_kernel(diffusion)};
  }
};

template <class Element, class ExecutionSpace>
void check_offers(const CellField& spring, const CellField& diffusion) {
  const auto box = test::distorted_box<Element, ExecutionSpace>({{5, 4, 3}});
  const FunctionSpace<Element, ExecutionSpace> space(box, 1);
  const LinearSystem<double, ExecutionSpace> expected(space), found(expected.graph()),
      twice(expected.graph());
  auto plan = assembly::RowOwner{}.plan(space, expected.graph());
  plan.assemble(Helmholtz<>{.sigma = diffusion, .lambda = spring}, expected);
  plan.assemble(Spring<1>{spring, diffusion}, found);
  plan.assemble(Spring<2>{spring, diffusion}, twice);
  const auto k = on_host(expected.values()), own = on_host(found.values()), more = on_host(twice.values());
  const auto begin = on_host(expected.graph().row_map);
  const auto columns = on_host(expected.graph().columns);
  for (Ordinal row = 0; row < expected.num_rows(); ++row) {
    double sum = 0; // of the spring alone
    for (Offset i = begin(row); i < begin(row + 1); ++i) sum += k(i);
    for (Offset i = begin(row); i < begin(row + 1); ++i) {
      EXPECT_NEAR(own(i), k(i), 1e-13) << "row " << row;
      EXPECT_NEAR(more(i), k(i) + (columns(i) == row ? sum : 0), 1e-13) << "row " << row;
    }
  }
}

TYPED_TEST(RowOwnerTest, TakesWhatOwnFormsOffer) {
  const auto by_material = CellField::per_material<TypeParam>({2.0, 7.0});
  for (const CellField& spring : {CellField(5.0), by_material})
    for (const CellField& diffusion : {CellField(3.0), by_material}) {
      check_offers<Tri<1>, TypeParam>(spring, diffusion);
      check_offers<Tet<1>, TypeParam>(spring, diffusion);
    }
}

template <class Element, class ExecutionSpace>
void check_pairs() {
  const auto mesh = test::fan<Element, ExecutionSpace>(150);
  const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};
  const FunctionSpace<Element, ExecutionSpace> one(mesh, 1), two(mesh, 2);
  const LinearSystem<double, ExecutionSpace> scalar(one), pairs(two);
  assembly::RowOwner{}.plan(one, scalar.graph()).assemble(form, scalar);
  const auto k = on_host(scalar.values()), f = on_host(scalar.rhs());
  const auto begin = on_host(scalar.graph().row_map);
  for (const long bytes : {0L, 8L * 8 * 7 * 16, 8L}) {
    assembly::RowOwner{.scratch_bytes = bytes}.plan(two, pairs.graph()).assemble(PairForm{form}, pairs);
    const auto values = on_host(pairs.values()), rhs = on_host(pairs.rhs());
    const double tolerance = 1e-12 * std::abs(k(begin(0)));
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
      for (int a = 0; a < 2; ++a) {
        EXPECT_NEAR(rhs(2 * node + a), f(node) * (3 - a), 1e-12) << "node " << node;
        const Offset degree = begin(node + 1) - begin(node), row = 4 * begin(node) + a * 2 * degree;
        for (Offset i = 0; i < degree; ++i)
          for (int b = 0; b < 2; ++b)
            ASSERT_NEAR(values(row + 2 * i + b), k(begin(node) + i) * (1 + 2 * a + b), tolerance)
                << "node " << node;
      }
  }
}

TYPED_TEST(RowOwnerTest, ComputesBlocksAroundCrowdedNodes) {
  check_pairs<Tri<1>, TypeParam>();
  check_pairs<Tet<1>, TypeParam>();
}

TYPED_TEST(RowOwnerTest, RefusesScratchThatTeamsCannotHave) {
  const FunctionSpace<Tri<1>, TypeParam> space(test::fan<Tri<1>, TypeParam>(5), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto plan = [&](long bytes) { assembly::RowOwner{.scratch_bytes = bytes}.plan(space, graph); };
  test::expect_throw_with<ArgumentError>([&] { plan(-1); }, "RowOwner: scratch_bytes must be positive");
  test::expect_throw_with<UnsupportedError>([&] { plan(1L << 40); }, "RowOwner: " + std::to_string(1L << 40) +
                                                                         " bytes of scratch wanted");
}

template <class Element, class ExecutionSpace, class Form>
void check_repeats(const io::Box& box, const Form& form) {
  const auto mesh = test::distorted_box<Element, ExecutionSpace>(box);
  const FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  const LinearSystem<double, ExecutionSpace> first(space), second(first.graph());
  auto plan = assembly::RowOwner{}.plan(space, first.graph());
  const double nan = std::numeric_limits<double>::quiet_NaN(); // what is not written stays
  Kokkos::deep_copy(second.values(), nan);
  Kokkos::deep_copy(second.rhs(), nan);
  plan.assemble(form, first);
  plan.assemble(form, second);
  const auto a = on_host(first.values()), b = on_host(second.values());
  for (std::size_t k = 0; k < a.extent(0); ++k) ASSERT_EQ(a(k), b(k)) << "value " << k;
  const auto f = on_host(first.rhs()), g = on_host(second.rhs());
  for (std::size_t k = 0; k < f.extent(0); ++k) ASSERT_EQ(f(k), g(k)) << "row " << k;
}

TYPED_TEST(RowOwnerTest, WritesEveryValueAndRepeatsBitwise) {
  check_repeats<Tri<1>, TypeParam>({{13, 11, 0}}, Helmholtz<>{.sigma = 2.0, .lambda = 1.0, .source = 3.0});
  check_repeats<Tet<1>, TypeParam>({{5, 4, 3}}, Helmholtz<>{.sigma = 2.0, .lambda = 1.0, .source = 3.0});
  check_repeats<Tet<2>, TypeParam>({{3, 2, 2}}, Helmholtz<>{.sigma = 2.0, .lambda = 1.0, .source = 3.0});
  check_repeats<Hex<1>, TypeParam>({{5, 4, 3}}, LinearElasticity<3>{.body_force = {1, 2, 3}});
}

TYPED_TEST(RowOwnerTest, NamesANodeWithTooManyNeighbours) {
  const auto plan_of_fan = [](int triangles) {
    const FunctionSpace<Tri<1>, TypeParam> space(test::fan<Tri<1>, TypeParam>(triangles), 1);
    const LinearSystem<double, TypeParam> system(space);
    assembly::RowOwner{}.plan(space, system.graph()).assemble(Heat{}, system);
  };
  EXPECT_NO_THROW(plan_of_fan(255));
  test::expect_throw_with<UnsupportedError>([&] { plan_of_fan(256); }, "node 0 has more than 256 neighbours");
}

TYPED_TEST(RowOwnerTest, NamesTheFirstElementThatCannotBeIntegrated) {
  const auto mesh = test::distorted_box<Tet<1>, TypeParam>({{3, 3, 3}});
  Kokkos::View<double*, TypeParam> sigma("Tessera::Test::sigma", mesh.num_elements());
  const auto host = Kokkos::create_mirror_view(sigma);
  Kokkos::deep_copy(host, 1.0);
  host(100) = host(41) = std::numeric_limits<double>::quiet_NaN();
  Kokkos::deep_copy(sigma, host);
  const FunctionSpace<Tet<1>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  auto plan = assembly::RowOwner{}.plan(space, system.graph());
  test::expect_throw_with<FormError>(
      [&] { plan.assemble(Helmholtz<>{.sigma = CellField::per_element(sigma)}, system); },
      "RowOwner: element 41 ");
}

/// Edges of length 1: an element's entries are at most about half of sigma, a node inside has 24 elements.
TYPED_TEST(RowOwnerTest, RefusesSumsThatOverflowWhereNoElementDoes) {
  const auto mesh = test::distorted_box<Tet<1>, TypeParam>({{3, 3, 3}});
  const auto coordinates = Kokkos::create_mirror(mesh.coordinates());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
    for (int d = 0; d < 3; ++d) coordinates(node, d) *= 3;
  test::overwrite(mesh.coordinates(), coordinates);
  const FunctionSpace<Tet<1>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  auto plan = assembly::RowOwner{}.plan(space, system.graph());
  test::expect_throw_with<FormError>(
      [&] { plan.assemble(Helmholtz<>{.sigma = 0.7 * std::numeric_limits<double>::max()}, system); },
      "RowOwner: what elements add at a node is not finite");
}

TYPED_TEST(RowOwnerTest, NamesAnElementThatHasTurnedOver) {
  const auto mesh = test::fan<Tri<1>, TypeParam>(12);
  const FunctionSpace<Tri<1>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  auto plan = assembly::RowOwner{}.plan(space, system.graph());
  EXPECT_NO_THROW(plan.assemble(Heat{}, system));
  const auto connectivity = on_host(mesh.connectivity());
  const auto coordinates = Kokkos::create_mirror(mesh.coordinates());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  // The node between elements 6 and 7 goes to the other side, behind that of element 7 and the next: 7 turns
  // over.
  const Ordinal node = connectivity(7, 1), next = connectivity(7, 2), after = connectivity(8, 2);
  for (int d = 0; d < 2; ++d) coordinates(node, d) = (coordinates(next, d) + coordinates(after, d)) / 2;
  test::overwrite(mesh.coordinates(), coordinates);
  test::expect_throw_with<FormError>([&] { plan.assemble(Heat{}, system); }, "RowOwner: element 7 ");
}

} // namespace strategies_assembly_row_owner
