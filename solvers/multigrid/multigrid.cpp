// SPDX-License-Identifier: BSD-3-Clause
// Multigrid, compiled for every execution space.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/multigrid/multigrid_impl.hpp>

namespace tessera::solvers {

#define TESSERA_INSTANTIATE(Unused, Space)                                                                   \
  template class Multigrid<Space>;                                                                           \
  template class multigrid::detail::Hierarchy<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace tessera::solvers
