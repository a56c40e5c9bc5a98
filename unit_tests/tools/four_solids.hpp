// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A file of Gmsh's with several element types.

#include <string>

namespace tessera::test {

/// A cube, a wedge beside it, a tetrahedron on that, a pyramid on the cube; the floor of cube and wedge.
inline std::string four_solids() {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
         "$PhysicalNames\n2\n3 1 \"all\"\n2 3 \"floor\"\n$EndPhysicalNames\n$Nodes\n11\n"
         "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n"
         "9 2 0 0\n10 2 0 1\n11 1 0 2\n$EndNodes\n$Elements\n6\n"
         "1 3 2 3 1 1 4 3 2\n2 2 2 3 1 2 3 9\n31 5 2 1 1 1 2 3 4 5 6 7 8\n"
         "32 6 2 1 1 2 9 3 6 10 7\n33 4 2 1 1 6 10 7 11\n"
         "34 7 2 1 1 5 6 7 8 11\n$EndElements\n";
}

} // namespace tessera::test
