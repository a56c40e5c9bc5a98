// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The list of all strategies. Tests, comparison and documentation iterate over it: a strategy that stands
/// here is tested, compared and documented; one that does not is not part of the library.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_global.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/element_shared.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>
#include <tessera/strategies/assembly/nz_local.hpp>
#include <tessera/strategies/assembly/nz_shared.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/assembly/row_global.hpp>
#include <tessera/strategies/assembly/row_local.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/row_shared.hpp>
#include <tessera/strategies/assembly/stored_elements.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/best/apply.hpp>
#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/best/residual.hpp>
#include <tessera/strategies/common/variant.hpp>
#include <tessera/strategies/matrix_free/dof_by_dof.hpp>
#include <tessera/strategies/matrix_free/element_by_element.hpp>
#include <tessera/strategies/matrix_free/element_local_product.hpp>
#include <tessera/strategies/matrix_free/node_by_node.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/matrix_free/row_shared_product.hpp>
#include <tessera/strategies/matrix_free/symmetric_element_by_element.hpp>
#include <tessera/strategies/residual/basis_vectorized.hpp>
#include <tessera/strategies/residual/quadrature_reduction.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>
#include <tessera/strategies/residual/thread_per_cell.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include <tuple>

// For explicit instantiations: X(Strategy) or X(Strategy, arguments) for every assembly strategy. On devices
// a source is compiled for each of these lists, on hosts one for all: Best, those that it chooses among (one
// that tests measure alone), the others by what a thread computes.
// clang-format off
#define TESSERA_FOR_EACH_BEST_ASSEMBLY(X, ...)                                                               \
  X(assembly::Best __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_OWNER_ASSEMBLY(X, ...)                                                              \
  X(assembly::RowOwner __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_WARP_ASSEMBLY(X, ...)                                                               \
  X(assembly::WarpPerElement __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_ATOMIC_ASSEMBLY(X, ...)                                                             \
  X(assembly::ElementAtomic __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_CHOSEN_ASSEMBLY(X, ...)                                                             \
  X(assembly::NzGlobal __VA_OPT__(, ) __VA_ARGS__)                                                           \
  X(assembly::Patch __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_ELEMENT_ASSEMBLY(X, ...)                                                            \
  X(assembly::ElementLocal __VA_OPT__(, ) __VA_ARGS__)                                                       \
  X(assembly::ElementShared __VA_OPT__(, ) __VA_ARGS__)                                                      \
  X(assembly::ElementGlobal __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_ROW_ASSEMBLY(X, ...)                                                                \
  X(assembly::RowLocal __VA_OPT__(, ) __VA_ARGS__)                                                           \
  X(assembly::RowShared __VA_OPT__(, ) __VA_ARGS__)                                                          \
  X(assembly::RowGlobal __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_NONZERO_ASSEMBLY(X, ...)                                                            \
  X(assembly::NzLocal __VA_OPT__(, ) __VA_ARGS__)                                                            \
  X(assembly::NzShared __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_OTHER_ASSEMBLY(X, ...)                                                              \
  X(assembly::StoredElements __VA_OPT__(, ) __VA_ARGS__)                                                     \
  X(assembly::TwoKernels __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FOR_EACH_ASSEMBLY(X, ...)                                                                    \
  TESSERA_FOR_EACH_BEST_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                               \
  TESSERA_FOR_EACH_ATOMIC_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                             \
  TESSERA_FOR_EACH_CHOSEN_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                             \
  TESSERA_FOR_EACH_OWNER_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                              \
  TESSERA_FOR_EACH_WARP_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                               \
  TESSERA_FOR_EACH_ELEMENT_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                            \
  TESSERA_FOR_EACH_ROW_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                                \
  TESSERA_FOR_EACH_NONZERO_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)                                            \
  TESSERA_FOR_EACH_OTHER_ASSEMBLY(X __VA_OPT__(, ) __VA_ARGS__)
// clang-format on

namespace tessera {

/// Every assembly strategy.
#define TESSERA_TUPLE_OF(Strategy) std::tuple<Strategy>(),
using AssemblyCatalogue =
    decltype(std::tuple_cat(TESSERA_FOR_EACH_ASSEMBLY(TESSERA_TUPLE_OF) std::tuple<>()));
#undef TESSERA_TUPLE_OF

/// Every matrix-free strategy; one line each.
using MatrixFreeCatalogue =
    std::tuple<apply::Best, matrix_free::NodeByNode, matrix_free::DofByDof, matrix_free::ElementByElement,
               matrix_free::SymmetricElementByElement, matrix_free::RecomputingElementByElement,
               matrix_free::ElementLocalProduct, matrix_free::RowSharedProduct>;

/// Every residual strategy; one line each.
using ResidualCatalogue =
    std::tuple<residual::Best, residual::ThreadTransposition, residual::ThreadPerCell,
               residual::QuadratureReduction, residual::BasisVectorized, residual::RecomputingResidual>;

} // namespace tessera
