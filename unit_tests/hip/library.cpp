// SPDX-License-Identifier: BSD-3-Clause
// For HIP: every strategy of the catalogue with every form on tetrahedra, and the rows of hexahedra;
// residuals and operators by each of theirs; multigrid; and an application of Newton's method.
#include <tessera/examples/06_twisted_block.cpp>
#include <tessera/solvers/free_motions.cpp>
#include <tessera/solvers/multigrid/multigrid.cpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#include <tessera/strategies/catalogue/detail/make_matrix_free_impl.hpp>
#include <tessera/strategies/catalogue/detail/make_plan_impl.hpp>

static_assert(tessera::wave_lanes<Kokkos::HIP> == 2 * tessera::warp_lanes); // of Instinct

namespace tessera {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_FOR_HIP(Strategy, Element)                                                                   \
  template std::unique_ptr<AnyAssembly<Element, Kokkos::HIP>>                                                \
  catalogue::detail::make_plan<Strategy, Element, Kokkos::HIP>(const Kokkos::HIP&, const Variant<Strategy>&, \
                                                               const FunctionSpace<Element, Kokkos::HIP>&,   \
                                                               const SparsityGraph<Kokkos::HIP>&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_FOR_EACH_ASSEMBLY(TESSERA_FOR_HIP, Tet<1>)
TESSERA_FOR_HIP(assembly::RowOwner, Hex<1>)

TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_MATRIX_FREE_FORM, Hex<1>, Kokkos::HIP) // operators
TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_MATRIX_FREE_FORM, Tet<1>, Kokkos::HIP) // and residuals

} // namespace tessera
