// SPDX-License-Identifier: BSD-3-Clause
// Multigrid over many ranks, compiled for every execution space.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/distributed/multigrid/multigrid_impl.hpp>

namespace tessera {

#define TESSERA_COMPILED_WITH_THE_SOLVERS(Unused, Space)                                                     \
  extern template class solvers::multigrid::detail::Hierarchy<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_COMPILED_WITH_THE_SOLVERS, unused)

namespace distributed {

#define TESSERA_INSTANTIATE(Unused, Space) template class Multigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace distributed

} // namespace tessera
