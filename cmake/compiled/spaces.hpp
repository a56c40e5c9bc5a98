// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What depends on nothing but the execution space, compiled once, in spaces.cpp.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/graphs/fill_bins.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/partition/curve_partition.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/strategies/assembly/common/detail/scatter_array.hpp>
#include <tessera/strategies/assembly/common/detail/sum_matrix.hpp>
#include <tessera/strategies/common/block_lists.hpp>
#include <tessera/strategies/common/blocks.hpp>
#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/node_blocks.hpp>
#include <tessera/strategies/common/team.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_VECTORS(Prefix, Value, Space)                                                                \
  Prefix template Kokkos::View<Value*, Space> detail::allocate_uninitialised(                                \
      const Space&, const std::string&, std::size_t);                                                        \
  Prefix template Kokkos::View<Value*, Space> detail::allocate_zeros(const Space&, const std::string&,       \
                                                                     std::size_t);

#define TESSERA_MATRICES(Prefix, Value, Space)                                                               \
  Prefix template Kokkos::View<Value**, Space> detail::allocate_uninitialised(                               \
      const Space&, const std::string&, std::size_t, std::size_t);                                           \
  Prefix template Kokkos::View<Value**, Kokkos::LayoutRight, Space> detail::allocate_uninitialised(          \
      const Space&, const std::string&, std::size_t, std::size_t);

#define TESSERA_ADMISSIBLE(Prefix, Admissible, Space)                                                        \
  Prefix template void check_cell_field<Space, Admissible>(const CellField&, const std::string&,             \
                                                           std::size_t, std::size_t, const std::string&,     \
                                                           const Admissible&);

#define TESSERA_BLOCK_LISTS(Prefix, Touches, Space)                                                          \
  Prefix template BlockLists<Space> block_lists(const Space&, Ordinal, Ordinal, const Touches<Space>&);

#define TESSERA_SOLVER(Prefix, Scalar, Space)                                                                \
  Prefix template class LinearSystem<Scalar, Space>;                                                         \
  Prefix template class solvers::CrsOperator<Scalar, Space>;                                                 \
  Prefix template class solvers::Jacobi<Scalar, Space>;                                                      \
  Prefix template void solvers::detail::check_crs(const Space&, const std::string&,                          \
                                                  const solvers::detail::CrsViews<Scalar, Space>&);          \
  Prefix template solvers::CgResult solvers::cg(                                                             \
      const Space&, const solvers::CrsOperator<Scalar, Space>&, const solvers::Jacobi<Scalar, Space>&,       \
      const Kokkos::View<Scalar*, Space>&, const Kokkos::View<Scalar*, Space>&, const solvers::CgOptions&);

#ifdef TESSERA_HAVE_KOKKOSKERNELS
#define TESSERA_SUMS(Prefix, Scalar, Space)                                                                  \
  Prefix template void detail::SumMatrix<Space>::multiply<Scalar>(                                           \
      const Space&, const Scalar*, const Kokkos::View<Scalar*, Space>&, bool) const;
#else
#define TESSERA_SUMS(Prefix, Scalar, Space)
#endif

#define TESSERA_INCIDENCE(Prefix, Layout, Space)                                                             \
  Prefix template NodeToElement<Space> detail::any_node_to_element(                                          \
      const Space&, const detail::AnyConnectivity<Kokkos::View<const Ordinal**, Layout, Space>>&, Ordinal);

#define TESSERA_SPACE(Prefix, Space)                                                                         \
  Prefix template void detail::rethrow_as_out_of_memory<Space>(const std::string&, const char*,              \
                                                               std::size_t);                                 \
  TESSERA_VECTORS(Prefix, Ordinal, Space)                                                                    \
  TESSERA_VECTORS(Prefix, Offset, Space)                                                                     \
  TESSERA_VECTORS(Prefix, double, Space)                                                                     \
  TESSERA_VECTORS(Prefix, float, Space)                                                                      \
  TESSERA_VECTORS(Prefix, std::uint8_t, Space)                                                               \
  TESSERA_VECTORS(Prefix, std::uint16_t, Space)                                                              \
  TESSERA_VECTORS(Prefix, std::uint32_t, Space)                                                              \
  TESSERA_MATRICES(Prefix, Ordinal, Space)                                                                   \
  TESSERA_MATRICES(Prefix, double, Space)                                                                    \
  Prefix template Kokkos::View<Ordinal*, Space> detail::all_items(const Space&, Ordinal);                    \
  Prefix template Kokkos::View<Ordinal*, Space> detail::radix_sort(                                          \
      const Space&, const Kokkos::View<std::uint64_t*, Space>&, int);                                        \
  Prefix template detail::SortedByKey<Space> detail::sort_by_key(                                            \
      const Space&, const Kokkos::View<Ordinal*, Space>&, Ordinal);                                          \
  Prefix template Permutation<Space> make_permutation(const Space&, const Kokkos::View<Ordinal*, Space>&);   \
  Prefix template Permutation<Space> hilbert_order(const Space&, const Kokkos::View<double**, Space>&);      \
  Prefix template Partition partition_by_curve(const Space&, const Kokkos::View<double**, Space>&, Ordinal); \
  Prefix template Partition refined_by_curve(const Space&, const Kokkos::View<double**, Space>&,             \
                                             const Partition&, Ordinal);                                     \
  Prefix template Coloring<Space> detail::color_elements(                                                    \
      const Space&, const detail::AnyConnectivity<Kokkos::View<const Ordinal**, Space>>&, std::size_t,       \
      const ColoringOptions&);                                                                               \
  TESSERA_INCIDENCE(Prefix, Kokkos::LayoutLeft, Space)                                                       \
  TESSERA_INCIDENCE(Prefix, Kokkos::LayoutRight, Space)                                                      \
  Prefix template detail::Groups<Space> detail::group_by(const Space&, const Kokkos::View<Ordinal*, Space>&, \
                                                         Ordinal);                                           \
  Prefix template BinPlaces<Space> fill_bins(const Space&, const Kokkos::View<Offset*, Space>&,              \
                                             const Kokkos::View<Ordinal*, Space>&, Ordinal);                 \
  Prefix template DoublePartition<Space> double_partition(const Space&, const NodeGraph<Space>&,             \
                                                          const DoublePartitionOptions&,                     \
                                                          Kokkos::View<const Ordinal*, Space>);              \
  TESSERA_ADMISSIBLE(Prefix, Positive, Space)                                                                \
  TESSERA_ADMISSIBLE(Prefix, NotNegative, Space)                                                             \
  TESSERA_ADMISSIBLE(Prefix, PoissonsRange, Space)                                                           \
  Prefix template void Helmholtz<>::check<Space>(std::size_t, std::size_t) const;                            \
  Prefix template void LinearElasticity<2>::check<Space>(std::size_t, std::size_t) const;                    \
  Prefix template void LinearElasticity<3>::check<Space>(std::size_t, std::size_t) const;                    \
  TESSERA_BLOCK_LISTS(Prefix, detail::BlocksOfElement, Space)                                                \
  TESSERA_BLOCK_LISTS(Prefix, detail::BlocksAroundNode, Space)                                               \
  TESSERA_BLOCK_LISTS(Prefix, detail::BlocksOfSharedNode, Space)                                             \
  Prefix template ItemBlocks<Space> cut_into_blocks(const Space&, const Kokkos::View<Ordinal*, Space>&,      \
                                                    Ordinal);                                                \
  Prefix template std::size_t scratch_budget<Space>(const std::string&, long, std::size_t, std::size_t);     \
  Prefix template ElementPasses<Space> element_passes(const Space&, const BlockLists<Space>&, Ordinal);      \
  Prefix template tessera::detail::ScatterArray<Space> tessera::detail::scatter_array(                       \
      const Space&, const NodeToElement<Space>&, const NodeBlocks<Space>&, const ElementPasses<Space>&, int, \
      int);                                                                                                  \
  TESSERA_SUMS(Prefix, double, Space)                                                                        \
  TESSERA_SUMS(Prefix, float, Space)                                                                         \
  TESSERA_SOLVER(Prefix, double, Space)                                                                      \
  TESSERA_SOLVER(Prefix, float, Space)
// NOLINTEND(bugprone-macro-parentheses)

#define TESSERA_PARTITIONS(Prefix)                                                                           \
  Prefix template detail::ItemGraph<idx_t> detail::joined_through(const char*, const detail::Incidence&,     \
                                                                  const detail::Incidence&, Ordinal);        \
  Prefix template Partition detail::partition_by_metis(const char*, detail::ItemGraph<idx_t>&,               \
                                                       const PartitionOptions&);

#ifndef TESSERA_DEFINE_SPACES
TESSERA_PARTITIONS(extern)
TESSERA_FOR_EACH_SPACE(TESSERA_SPACE, extern)
#endif

} // namespace tessera
