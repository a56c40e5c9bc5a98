#pragma once

/// \file
/// Structured meshes made in memory: boxes, and the papers' meshes that are boxes.

#include <tessera/io/mesh_data.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::io {

/// The box [0, length[0]] x [0, length[1]] x [0, length[2]] of cells[0] x cells[1] x cells[2] equal bricks.
/// In the plane the third entries are ignored.
struct Box {
  std::array<std::int64_t, 3> cells{1, 1, 1};
  std::array<double, 3> lengths{1.0, 1.0, 1.0};
};

/// A box of first-order cells: each brick is one hexahedron or six tetrahedra (Kuhn's subdivision along the
/// brick's diagonal, which is conforming), each rectangle one quadrilateral or two triangles. Nodes and
/// bricks are numbered with x fastest; nodes and cells bear the numbers 1, 2, ... and material 0. Node sets
/// and side sets `xmin`, `xmax`, `ymin`, `ymax`, and in space `zmin`, `zmax` hold the faces. Allocates the
/// mesh and nothing else of its size. \throws ArgumentError if the shape is not one of the four, a count is
/// below 1, a length is not positive and
///         finite, or there would be more than 2^31-1 nodes or cells.
MeshData generate_box(CellShape shape, const Box& box);

/// A mesh by name, of first-order cells of the given shape:
/// - `box:N`: the unit square or cube, N cells a side; `box:AxB`, `box:AxBxC`: A x B (x C) cells of it;
///   `box:AxBxC@LxWxH`: the same with lengths L, W and H;
/// - `cantilever2:K`, K = 1 ... 4: paper 2, Tables 2 and 3: 16 x 2 x 2 m, 24, 32, 50 or 64 bricks over the
/// height;
/// - `regular4`, `regular4:K`, K = 0 ... 3 (3 if not given): paper 4, Section 6 and Table 1: a 4 x 4 x 4 cube
/// of
///   8 x 8 x 8 small cubes of six tetrahedra each, every edge halved K times. Halving Kuhn's tetrahedra with
///   the right diagonal gives Kuhn's tetrahedra of the halved cubes, which is what is made here; nodes and
///   elements are the table's (274,625 and 1,572,864), the diagonals that the authors chose are not known;
/// - `cantilever5:CK`, K = 1 ... 5: paper 5, Table 1: 1000 K x 100 K (C1) ... squares; the figure with the
///   dimensions is not legible in our copy, and 10 x 1 m makes the cells square. Of the table's C5 nodes,
///   2,505,551, two digits are exchanged: its degrees of freedom are those of 2,505,501 nodes.
/// \throws ArgumentError for an unknown name or size (the message lists the valid ones), a shape that the
/// mesh does
///         not have, and as generate_box.
MeshData generate(std::string_view name, CellShape shape);

/// The names that `generate` takes, for help texts: "box:N, ...".
std::string generator_names();

} // namespace tessera::io
