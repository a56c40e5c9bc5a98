// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Jacobians of the weak forms that have a residual, Newton's method, and what adjoints need.

#include <tessera/core/space/function_space.hpp>

#include "matrix_free.hpp"
#include "problem.hpp"

namespace tessera::python {

/// \throws UnsupportedError for other elements than `MatrixFreeElements`; as `AnySpace::linearise`
template <class Element>
std::shared_ptr<AnyLinearised> linearised_of(const FunctionSpace<Element, Exec>& space,
                                             const ResidualForm& form,
                                             const LinearSystem<double, Exec>& system);

} // namespace tessera::python
