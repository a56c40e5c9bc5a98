// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Everything that an application uses, in one header. It brings in every strategy of the catalogue; an
/// application that uses few compiles faster with their own headers.

#include <tessera/core/blocks/divided.hpp>
#include <tessera/core/blocks/mixed_elevate.hpp>
#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/blocks/mixed_reactions.hpp>
#include <tessera/core/blocks/mixed_renumber.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/forms/advection_diffusion_reaction.hpp>
#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/core/space/equation_table.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/space/reactions.hpp>
#include <tessera/core/space/right_hand_side.hpp>
#include <tessera/core/space/volume_loads.hpp>
#include <tessera/core/system/constrain_rows.hpp>
#include <tessera/core/system/constrained_system.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/system/graph_for.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/renumbered_system.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/core/system/transpose.hpp>
#include <tessera/core/version.hpp>
#include <tessera/core/weak_form/check_jacobian.hpp>
#include <tessera/core/weak_form/parameter_derivatives.hpp>
#include <tessera/core/weak_form/state_at_points.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/read_mixed_mesh.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/likely_cause.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/solvers/patch_multigrid/patch_multigrid.hpp>
#include <tessera/solvers/solution_error.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/fields/navier_stokes_preconditioner.hpp>
#include <tessera/solvers/incomplete_lu.hpp>
#include <tessera/solvers/kokkos_kernels.hpp>
#endif
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/picture.hpp>
#include <tessera/io/vtk/writer.hpp>
#endif
