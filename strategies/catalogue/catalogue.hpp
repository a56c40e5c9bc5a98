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
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/catalogue/variant.hpp>
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

namespace tessera {

/// Every assembly strategy, from the list that CMake reads too.
#define TESSERA_ASSEMBLY(Strategy) std::tuple<assembly::Strategy>(),
using AssemblyCatalogue = decltype(std::tuple_cat(
#include <tessera/strategies/catalogue/assembly_list.inc>
    std::tuple<>()));
#undef TESSERA_ASSEMBLY

/// Every matrix-free strategy; one line each.
using MatrixFreeCatalogue =
    std::tuple<matrix_free::NodeByNode, matrix_free::DofByDof, matrix_free::ElementByElement,
               matrix_free::SymmetricElementByElement, matrix_free::RecomputingElementByElement,
               matrix_free::ElementLocalProduct, matrix_free::RowSharedProduct>;

/// Every residual strategy; one line each.
using ResidualCatalogue =
    std::tuple<residual::ThreadTransposition, residual::ThreadPerCell, residual::QuadratureReduction,
               residual::BasisVectorized, residual::RecomputingResidual>;

} // namespace tessera
