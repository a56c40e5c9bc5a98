// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/mesh/elevate.hpp>

#include <gmock/gmock.h>

#include "distributed/own_views.hpp"

namespace tessera::test {
namespace {

/// Own linear views of higher order, held against the whole mesh of that order.
template <class To>
void expect_elevated(const io::Box& box, int components) {
  using From = typename To::template of_order<1>;
  const auto linear = whole_box<From>(box);
  const auto whole = elevated<To>(linear);
  const OwnViews<From> own(linear, [&](Ordinal e) { return (5 * e + e / 3) % size_of_world(); });
  const auto mesh = distributed::make_elevated_mesh<To>(Space(), MPI_COMM_WORLD, own.piece(),
                                                        OwnViews<From>::view_of(own.nodes),
                                                        OwnViews<From>::view_of(own.elements));
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  expect_rows_of_whole(owned_rows(mesh, components, ConstraintTreatment::zeroed, "RowOwner"),
                       all_rows(whole, components, ConstraintTreatment::zeroed, "RowOwner"), false, To::name);
}

TEST(ElevatedMesh, HasTheRowsOfOneRank) {
  expect_elevated<Hex<2>>({{3, 2, 2}, {1.0, 2.0, 3.0}}, 3);
  expect_elevated<Tet<3>>({{2, 2, 2}, {1.0, 2.0, 3.0}}, 1);
}

} // namespace
} // namespace tessera::test
