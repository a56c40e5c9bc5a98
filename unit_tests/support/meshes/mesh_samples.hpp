// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Small files of each text format, with sets, materials and loads: what the tests damage and the fuzzers
// start from.

#include <stdexcept>
#include <string>
#include <support/files.hpp>
#include <utility>
#include <vector>

namespace tessera::test {

inline const std::string abaqus_sample = R"(*NODE, NSET=ALL
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
9, .5, .5, 2.
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5,
6, 7, 8
*ELEMENT, TYPE=C3D4, ELSET=T
2, 5, 6, 7, 9
*NSET, NSET=A, GENERATE
1, 9, 2
*ELSET, ELSET=B
E, 2
*SURFACE, NAME=S
E, S1
2, S2
*MATERIAL, NAME=M
*ELASTIC
1., .3
*SOLID SECTION, ELSET=B, MATERIAL=M
*BOUNDARY
A, 1, 3
*STEP
*STATIC
*CLOAD
9, 3, 1.
*DLOAD
T, P4, 2.
B, GRAV, 9.81, 0, 0, -1
*END STEP
)";

/// Two tetrahedra and a hexahedron of two parts that number alike; the second tetrahedron is shifted and
/// then turned by a quarter about the axis x = 1, y = 0.
inline const std::string abaqus_parts_sample = R"(*Heading
** PARTS
*Part, name=Corner
*Node, nset=All
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
*Element, type=C3D4, elset=Set-1
1, 1, 2, 3, 4
*Nset, nset=Set-1, generate
1, 3, 1
*Elset, elset=Faces
1
*Surface, type=ELEMENT, name=Bottom
Faces, S1
*Solid Section, elset=Set-1, material=Soft
,
*End Part
*Part, name=Block
*Node
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
*Element, type=C3D8, elset=Set-1
1, 1, 2, 3, 4, 5, 6, 7, 8
*Solid Section, elset=Set-1, material=Hard
,
*End Part
** ASSEMBLY
*Assembly, name=Assembly
*Instance, name=Corner-1, part=Corner
*End Instance
*Instance, name=Corner-2, part=Corner
2., 0., 0.
1., 0., 0., 1., 0., 3., 90.
*Nset, nset=Own
4
*End Instance
*Instance, name="Block-1", part=Block
0., 0., -1.
*End Instance
*Node
1, 9., 9., 9.
*Nset, nset=Point
1,
*Nset, nset=Set-1, instance=Corner-1
1, 4
*Nset, nset=Set-1, instance=Block-1, generate
5, 8, 1
*Nset, nset=Mixed
Corner-2.Set-1, Block-1.7, 1
*Elset, elset=Some, internal, instance=Corner-2
Set-1, 1
*Surface, type=ELEMENT, name=Outside
Corner-2.1, S2
Some, S3
Block-1.Set-1, S2
*End Assembly
*Material, name=Hard
*Elastic
2., .3
*Material, name=Soft
*Elastic
1., 0.
)";

/// Four by two squares, of which the deck has the corners' nodes and the first square.
inline const std::string abaqus_generated_sample = R"(*NODE
1, 0., 0.
5, 4., 0.
201, 0., 2.
205, 4., 2.
105, 4., 1.
*NGEN, NSET=EDGES
1, 5
201, 205
*NGEN, NSET=LEFT
1, 201, 100
*NGEN
101, 105
*ELEMENT, TYPE=CPS4, ELSET=FIRST
1, 1, 2, 102, 101
*ELGEN, ELSET=ALL
1, 4, 1, 1, 2, 100, 10
*MATERIAL, NAME=M
*SOLID SECTION, ELSET=ALL, MATERIAL=M
)";

/// A hexahedron with a tetrahedron on it, in which two faces, an edge and a corner are marked.
inline const std::string ucd_sample = R"(# AVS UCD
#  with comments
9 6 3 1 0
1 0. 0. 0.
2 1. 0. 0.
3 1. 1. 0.
4 0. 1. 0.
15 0. 0. 1.
16 1. 0. 1.
17 1. 1. 1.
18 0. 1. 1.
30 .5 .5 2.
1 7 hex 15 16 17 18 1 2 3 4
2 8 tet 30 15 16 17
5 3 quad 1 4 3 2
6 3 tri 15 16 30
7 4 line 1 2
8 4 pt 30
2 1 2
density, kg/m^3
flow rate, m/s
30 9. 9.5 9.75
1 1. 0. 0.
2 2. 0. 0.
3 3. 0. 0.
4 4. 0. 0.
15 5. 0. 0.
16 6. 0. 0.
17 7. 0. 0.
18 8. .25 0.
1 1
quality, none
1 11.
2 12.
5 15.
6 16.
7 17.
8 18.
)";

inline const std::string tetgen_nodes = "4 3 1 1\n0 0 0 0 0 1\n1 1 0 0 0 2\n2 0 1 0 0 1\n3 0 0 1 0 1\n";
inline const std::string tetgen_tetrahedra = "1 4 1\n0 0 1 2 3 5\n";
inline const std::string tetgen_faces = "1 1\n0 0 1 2 9\n";

inline const std::string calculix_dat = R"(
                        S T E P       1


                                INCREMENT     1


 displacements (vx,vy,vz) for set NALL and time  0.5000000E+00

         1  5.000000E-01  0.000000E+00  0.000000E+00

 displacements (vx,vy,vz) for set NALL and time  0.1000000E+01

         1  1.000000E+00  0.000000E+00  0.000000E+00
        12 -1.857143E-04  4.333333E-04  2.500000E-10

 stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz) for set EALL and time  0.1000000E+01

         7   1 -1.858780E-11  1.000000E+02  3.000000E+01  5.178134E-12 -7.005614E-14 -5.254211E-14

                        S T E P       2

 displacements (vx,vy,vz) for set NALL and time  0.2000000E+01

         1  2.000000E+00  0.000000E+00  0.000000E+00
)";

inline const std::string calculix_frd = R"(    1C
    2C                             2                                     1
 -1         1 0.00000E+00 0.00000E+00 0.00000E+00
 -3
    1PSTEP                         1           1           1
  100CL  101 1.000000000           2                     0    1           1
 -4  DISP        4    1
 -5  D1          1    2    1    0
 -1         1 1.00000E+00 0.00000E+00 0.00000E+00
 -1        12-1.85714E-04 4.33333E-04-2.50000E-10
 -3
    1PSTEP                         2           1           1
  100CL  101 1.000000000           2                     0    1           1
 -4  STRESS      6    1
 -1         7 1.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00
 -3
    1PSTEP                         3           1           2
  100CL  102 2.000000000           2                     0    2           1
 -4  DISP        4    1
 -1         1 2.00000E+00 0.00000E+00 0.00000E+00
 -3
 9999
)";

/// Two boxes that share a face, with physical groups, in every encoding of Gmsh: the options that made it,
/// and the file's content. Needs gmsh.
inline std::vector<std::pair<std::string, std::string>> gmsh_samples(const TemporaryFolder& folder) {
  folder.write("part.geo",
               "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\n"
               "BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n"
               "Physical Volume(\"left\") = {1};\nPhysical Volume(\"both\") = {1, 2};\n"
               "Physical Surface(\"wall\") = {1, 2};\nPhysical Point(\"corner\") = {1};\n");
  std::vector<std::pair<std::string, std::string>> samples;
  for (const char* format : {"-format msh22", "-format msh41", "-bin -format msh22", "-bin -format msh41"}) {
    if (run_in(folder, std::string("gmsh -3 -clscale 20 part.geo -o part.msh ") + format) != 0)
      throw std::runtime_error(read_file(folder / "log"));
    samples.emplace_back(format, read_file(folder / "part.msh"));
  }
  return samples;
}

} // namespace tessera::test
