// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/node_exchange.hpp>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace tessera::distributed {

Transfer usable_transfer() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0 ? Transfer::device : Transfer::host;
#else
  return Transfer::host;
#endif
}

} // namespace tessera::distributed
