// SPDX-License-Identifier: BSD-3-Clause
// Systems in an application's own numbers of equations, against the library's own numbers under a
// permutation.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/renumbered_system.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#ifdef __linux__
#include <sys/resource.h>
#endif
#include <utility>
#include <vector>

namespace core_system_renumbered_system {

using namespace tessera;
using test::expect_throw_with;
using test::to_host;
using Entries = std::map<std::pair<Ordinal, Ordinal>, double>;

template <class ExecutionSpace>
class Renumbered : public ::testing::Test {
public:
  using Element = Tri<1>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;
  using Table = Kokkos::View<int**, ExecutionSpace>;
  static constexpr int components = 2;

  static Mesh<Element, ExecutionSpace> mesh() {
    return test::distorted_box<Element, ExecutionSpace>({{4, 3, 1}, {1.3, 1.0, 1.0}});
  }

  /// The table by elements of numbers by degrees of freedom.
  static Table table_of(const Space& space, const std::vector<int>& number) {
    const auto nodes = to_nodes(space);
    const Table table("Tessera::Test::table", nodes.extent(0), Element::nodes * components);
    const auto host = Kokkos::create_mirror_view(table);
    for (std::size_t e = 0; e < nodes.extent(0); ++e)
      for (std::size_t i = 0; i < host.extent(1); ++i)
        host(e, i) = number[static_cast<std::size_t>(nodes(e, i / components)) * components + i % components];
    Kokkos::deep_copy(table, host);
    return table;
  }
  static auto to_nodes(const Space& space) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  }

  /// Numbers of a system that are all different.
  static System some_system(const Space& space) {
    const System system(space);
    const auto values = system.values();
    const auto rhs = system.rhs();
    Kokkos::parallel_for(
        "Tessera::Test::values", Kokkos::RangePolicy<ExecutionSpace>(0, values.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { values(k) = 1 + 0.25 * static_cast<double>(k); });
    Kokkos::parallel_for(
        "Tessera::Test::rhs", Kokkos::RangePolicy<ExecutionSpace>(0, rhs.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { rhs(k) = -1.5 - static_cast<double>(k); });
    return system;
  }

  /// What a system holds, its rows and columns renamed and those that get the same name added up; the
  /// right-hand side is column −1.
  static Entries entries_of(const System& system, const std::vector<Ordinal>& name) {
    const auto row_map = to_host(system.graph().row_map);
    const auto columns = to_host(system.graph().columns);
    const auto values = to_host(system.values()), rhs = to_host(system.rhs());
    Entries entries;
    for (std::size_t row = 0; row < rhs.size(); ++row) {
      if (name[row] < 0) continue;
      entries[{name[row], -1}] += rhs[row];
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k)
        if (name[columns[k]] >= 0) entries[{name[row], name[columns[k]]}] += values[k];
    }
    return entries;
  }
  static Entries entries_of(const RenumberedSystem<double, ExecutionSpace>& system) {
    const auto row_map = to_host(system.row_map());
    const auto columns = to_host(system.columns());
    const auto values = to_host(system.values()), rhs = to_host(system.rhs());
    Entries entries;
    for (Ordinal row = 0; row < system.num_rows(); ++row) {
      if (row_map[row] < row_map[row + 1]) entries[{row, -1}] = rhs[row];
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
        EXPECT_TRUE(k == row_map[row] || columns[k - 1] < columns[k]);
        entries[{row, columns[k]}] = values[k];
      }
    }
    return entries;
  }

  /// Equation of each degree of freedom in the library's numbers.
  static std::vector<Ordinal> rows_of(const Space& space) {
    const auto equations = space.equations();
    const Kokkos::View<Ordinal*, ExecutionSpace> rows("Tessera::Test::rows", space.num_dofs());
    Kokkos::parallel_for(
        "Tessera::Test::rows", Kokkos::RangePolicy<ExecutionSpace>(0, space.num_dofs()),
        KOKKOS_LAMBDA(int dof) {
          const bool none = equations.removed && equations.is_constrained(dof / components, dof % components);
          rows(dof) = none ? -1 : equations.equation(dof / components, dof % components);
        });
    return to_host(rows);
  }
};

TYPED_TEST_SUITE(Renumbered, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Renumbered, IsTheSystemUnderAPermutation) {
  std::mt19937 random(30);
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    typename TestFixture::Space space(this->mesh(), 2, treatment);
    const int count = space.num_dofs() + 7; // with gaps
    std::vector<int> number(static_cast<std::size_t>(count));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    for (std::size_t dof = 0; dof < static_cast<std::size_t>(space.num_dofs()); dof += 5) number[dof] = -3;
    const EquationTable<TypeParam> table(space, this->table_of(space, number), count);
    table.constrain(space);
    const auto system = this->some_system(space);
    const RenumberedSystem<double, TypeParam> renumbered(table, system);
    std::vector<Ordinal> name(static_cast<std::size_t>(system.num_rows()), -1);
    const auto rows = this->rows_of(space);
    for (std::size_t dof = 0; dof < rows.size(); ++dof)
      if (number[dof] >= 0) name[static_cast<std::size_t>(rows[dof])] = number[dof];
    EXPECT_EQ(renumbered.num_rows(), count);
    EXPECT_EQ(this->entries_of(renumbered), this->entries_of(system, name));

    Kokkos::deep_copy(system.values(), 2.0); // as another assembly
    Kokkos::deep_copy(system.rhs(), 3.0);
    renumbered.update(TypeParam());
    EXPECT_EQ(this->entries_of(renumbered), this->entries_of(system, name));
  }
}

/// Nodes of the left and the right side with the same equations.
TYPED_TEST(Renumbered, AddsUpWhatHasOneNumber) {
  const typename TestFixture::Space space(this->mesh(), 2);
  std::vector<int> number(static_cast<std::size_t>(space.num_dofs()));
  for (std::size_t dof = 0; dof < number.size(); ++dof) number[dof] = static_cast<int>(dof) / 3;
  const EquationTable<TypeParam> table(space, this->table_of(space, number), space.num_dofs());
  const auto system = this->some_system(space);
  const RenumberedSystem<double, TypeParam> renumbered(table, system);
  EXPECT_EQ(this->entries_of(renumbered), this->entries_of(system, number));
}

TYPED_TEST(Renumbered, ExpandsSolutions) {
  typename TestFixture::Space space(this->mesh(), 2);
  std::vector<int> number(static_cast<std::size_t>(space.num_dofs()));
  for (std::size_t dof = 0; dof < number.size(); ++dof)
    number[dof] = static_cast<int>(number.size() - 1 - dof);
  number[4] = -1;
  const EquationTable<TypeParam> table(space, this->table_of(space, number), space.num_dofs());
  table.constrain(space);
  space.constrain(2, 0, 7.0);
  std::vector<double> x(number.size());
  std::iota(x.begin(), x.end(), 0.5);
  const auto u = to_host(table.expand(TypeParam(), space, test::to_device<TypeParam>(x)));
  for (std::size_t dof = 0; dof < u.size(); ++dof)
    EXPECT_EQ(u[dof], dof == 4 ? 7.0 : static_cast<double>(number[dof]) + 0.5);
}

TYPED_TEST(Renumbered, MoreEquationsThanNumbersAreRefused) {
  const typename TestFixture::Space space(this->mesh(), 2);
  std::vector<int> number(static_cast<std::size_t>(space.num_dofs()));
  std::iota(number.begin(), number.end(), 0);
  const EquationTable<TypeParam> table(space, this->table_of(space, number),
                                       std::numeric_limits<Ordinal>::max());
  expect_throw_with<ArgumentError>(
      [&] { RenumberedSystem<double, TypeParam>(table, this->some_system(space)); },
      "RenumberedSystem: the 2147483647 equations of the table and the end of their rows do not fit 32-bit");
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
TYPED_TEST(Renumbered, EquationsBeyondTheMemoryAreNamed) {
  const typename TestFixture::Space space(this->mesh(), 2);
  std::vector<int> number(static_cast<std::size_t>(space.num_dofs()));
  std::iota(number.begin(), number.end(), 0);
  const EquationTable<TypeParam> table(space, this->table_of(space, number), 2147483646);
  const auto system = this->some_system(space);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit less = before;
  less.rlim_cur = rlim_t(40) << 30; // rows alone take 48 GB
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  expect_throw_with<OutOfMemoryError>(
      [&] { RenumberedSystem<double, TypeParam>(table, system); },
      "RenumberedSystem: no memory for rows of the 2147483646 equations of the table; the space has ");
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}
#endif

TYPED_TEST(Renumbered, RefusesBadTables) {
  typename TestFixture::Space space(this->mesh(), 2);
  std::vector<int> number(static_cast<std::size_t>(space.num_dofs()));
  std::iota(number.begin(), number.end(), 0);
  const auto make = [&](const auto& table, Ordinal count) {
    return EquationTable<TypeParam>(space, table, count);
  };
  auto table = this->table_of(space, number);
  expect_throw_with<ArgumentError>([&] { make(table, space.num_dofs() - 1); },
                                   "has equation " + std::to_string(space.num_dofs() - 1));
  expect_throw_with<ArgumentError>([&] { make(typename TestFixture::Table("t", 3, 6), 9); },
                                   "the table is 3 x 6, needed are 24 elements x 6 unknowns");
  const auto whole = make(table, space.num_dofs());
  space.constrain(1, 1, 0.0);
  expect_throw_with<ArgumentError>(
      [&] { RenumberedSystem<double, TypeParam>(whole, this->some_system(space)); },
      "component 1 of node 1 is constrained in the space, and has equation 3 in the table");
  number[7] = -1;
  const auto less = make(this->table_of(space, number), space.num_dofs());
  space.clear_constraints();
  expect_throw_with<ArgumentError>(
      [&] { RenumberedSystem<double, TypeParam>(less, this->some_system(space)); },
      "component 1 of node 3 has no equation in the table, and is not constrained in the space");
  const typename TestFixture::Space other(this->mesh(), 2);
  expect_throw_with<ArgumentError>(
      [&] { RenumberedSystem<double, TypeParam>(whole, this->some_system(other)); }, "another mesh");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), table);
  host(5, 2) += 1; // an element of its own mind
  Kokkos::deep_copy(table, host);
  expect_throw_with<ArgumentError>([&] { make(table, 2 * space.num_dofs()); }, "in an element before");
}

} // namespace core_system_renumbered_system
