// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Options of strategies in which several lanes share an element.

namespace tessera {

/// When the geometry of the quadrature points is computed.
enum class Integration {
  per_point,        ///< point after point, geometry and stiffness in turn (paper 2, Algorithm 4)
  partial_parallel, ///< the geometry of all points at once, then the stiffness (PPNI, paper 2, section 4.3)
};

/// How lanes add up the products of coordinates and basis derivatives to Jacobians (paper 2, Table 1).
enum class JacobianSum {
  shuffle, ///< a lane per product, several entries at once, each reduced over as many lanes as nodes (Listing
           ///< 1)
  scratch, ///< a lane per entry, which reads all coordinates from scratch
  atomics, ///< a lane per product, added atomically in scratch
};

/// Who adds the element matrix to the values of the system.
enum class Scatter {
  lanes, ///< each lane the blocks that it computed (paper 2, Figure 5)
  rows,  ///< the lanes together row by row, from scratch: neighbouring lanes write neighbouring values
};

/// What is integrated, for forms that offer moments; others are always integrated pointwise.
enum class Integrand {
  moments,   ///< G_ij[a,b] = sum_q w d_a phi_i d_b phi_j, and the stiffness from these
  pointwise, ///< the stiffness of each pair at each point, as paper 2's B^T D B
};

} // namespace tessera
