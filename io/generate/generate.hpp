// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes by name: boxes of any size, and the papers' meshes that are boxes.

#include <tessera/io/generate/box.hpp>

#include <string>
#include <string_view>

namespace tessera::io {

/// The box that a name stands for:
/// - `box:N`: the unit square or cube, N cells a side; `box:AxB` and, in space, `box:AxBxC`: A x B (x C)
/// cells of
///   it; `box:AxB@LxW`, `box:AxBxC@LxWxH`: the same with lengths L, W and H;
/// - `cantilever2:K`, K = 1 ... 4: paper 2, Tables 2 and 3: 16 x 2 x 2 m in 8n x n x n cells, n = 24, 32,
/// 50, 64.
///   The table's degrees of freedom of Mesh 2 are not three times its nodes, which are these;
/// - `regular4`, `regular4:K`, K = 0 ... 3 (3 if not given): paper 4, Section 6 and Table 1: a 4 x 4 x 4 cube
/// of
///   8 x 8 x 8 small cubes of six tetrahedra each, every edge halved K times. Halving Kuhn's tetrahedra with
///   the right diagonals gives Kuhn's tetrahedra of the halved cubes, which is what this is; nodes and
///   elements are the table's (274,625 and 1,572,864 for K = 3), but not its largest valence: the diagonals
///   are the authors' own;
/// - `cantilever5:CK`, K = 1 ... 5: paper 5, Table 1: 1000 K x 100 K squares. The dimensions stand in a
/// figure of
///   which our copy has only the caption; 10 x 1 m makes the cells square. Of the table's 2,505,551 nodes of
///   C5 a digit is wrong: its degrees of freedom are those of 2,505,501 nodes.
/// \param name for the elements of order 1; higher orders have as many elements and more nodes
/// \throws ArgumentError for an unknown name or size (the message lists the valid ones), or a shape that the
/// mesh
///         does not have
Box named_box(std::string_view name, Shape shape);

/// The names that `named_box` takes, for help texts.
std::string generator_names();

/// The mesh with a name of named_box, with the sets of box_mesh.
/// \throws ArgumentError as named_box and box_mesh
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> generate(const ExecutionSpace& exec, std::string_view name) {
  return box_mesh<Element>(exec, named_box(name, Element::shape));
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> generate(std::string_view name) {
  return generate<Element>(default_instance<ExecutionSpace>(), name);
}

} // namespace tessera::io
