// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Jacobians of the weak forms that have a residual, Newton's method, and what adjoints need.

#include "matrix_free.hpp"
#include "problem.hpp"

namespace tessera::python {

/// \param space as `residual_of`
/// \throws UnsupportedError for elements of higher order; as `AnySpace::linearise`
template <class Space>
std::shared_ptr<AnyLinearised> linearised_of(const Space& space, const ResidualForm& form,
                                             const LinearSystem<double, Exec>& system);

} // namespace tessera::python
