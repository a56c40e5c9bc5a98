// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// hypre's calls: errors, and what its functions make.

#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/hypre/types.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace tessera::distributed::detail {

/// What hypre made, destroyed with the last copy.
template <class Handle>
using HypreHandle = std::shared_ptr<std::remove_pointer_t<Handle>>;

/// hypre's kinds of error but that an iteration has not converged.
inline constexpr HYPRE_Int hypre_errors = HYPRE_ERROR_GENERIC | HYPRE_ERROR_MEMORY | HYPRE_ERROR_ARG;

/// Throws errors of these kinds that hypre has noted in this process, and clears all.
inline void throw_hypre_errors(const char* call, HYPRE_Int kinds) {
  const HYPRE_Int errors = HYPRE_GetError();
  char text[HYPRE_MAX_MSG_LEN] = {};
  HYPRE_DescribeError(errors, text);
  HYPRE_ClearAllErrors(); // one that stays ends later calls early
  if ((errors & kinds) == 0) return;
  const std::string message = std::string("hypre, ") + call + ": " + text;
  if (HYPRE_CheckError(errors, HYPRE_ERROR_MEMORY)) throw OutOfMemoryError(message);
  throw SolverError(message);
}

/// Collective: calls of hypre's. What the application left of hypre's errors is cleared before.
/// \param call names them in messages
/// \throws on every rank what hypre notes on one
template <class Calls>
void hypre_calls(const Communicator& ranks, const char* call, const Calls& calls,
                 HYPRE_Int kinds = hypre_errors) {
  HYPRE_ClearAllErrors();
  calls();
  agree(ranks, [&] { throw_hypre_errors(call, kinds); });
}

/// Waits for hypre's kernels, before others touch its arrays: on a device they run on a stream of hypre's
/// own, which no execution space's stream waits for.
template <class ExecutionSpace>
void fence_hypre(const char* label) {
  if constexpr (HypreTypes<ExecutionSpace>::on_device) Kokkos::fence(label);
}

/// For a preconditioner that is set up already.
inline HYPRE_Int set_up_before(HYPRE_Solver, HYPRE_ParCSRMatrix, HYPRE_ParVector, HYPRE_ParVector) {
  return 0;
}

/// hypre's IJ interface makes an object in steps; this is the last.
template <class Object, class Owner>
Object hypre_object(const Owner& owner, HYPRE_Int (*get)(Owner, void**)) {
  void* object = nullptr;
  get(owner, &object);
  return static_cast<Object>(object);
}

} // namespace tessera::distributed::detail
