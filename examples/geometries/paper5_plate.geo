// SPDX-License-Identifier: BSD-3-Clause
// Plate with holes of paper 5 (section 4.2, Figure 8) in quadrilaterals, metres: steady heat, f = 0, u = 10 on Gamma_g1
// and u = 200 on Gamma_g2. The figure is not in our copy. By Euler's formula the boundary of a plane mesh has
// B = 2 (V - F - 1 + H) edges for V nodes, F quadrilaterals and H holes; in all rows of Table 3, B^2 / F is 66.7. That
// is perimeter^2 / area of a unit square with five round holes of radius 0.108, like paper 1's plate; which edges
// Gamma_g1 and Gamma_g2 are is our choice.
//
// Quadrilaterals of about `coarse` are made once and split in four, the rims kept round, until they have `size`.
// gmsh paper5_plate.geo -save -setnumber size 0.01 -o plate.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.01, Name "Parameters/Element size"} ];
DefineConstant[ coarse = {0.005, Name "Parameters/Largest size before splitting"} ];
radius = 0.108;

Rectangle(1) = {0, 0, 0, 1, 1};
Disk(2) = {0.25, 0.25, 0, radius};
Disk(3) = {0.75, 0.25, 0, radius};
Disk(4) = {0.5, 0.5, 0, radius};
Disk(5) = {0.25, 0.75, 0, radius};
Disk(6) = {0.75, 0.75, 0, radius};
BooleanDifference(7) = { Surface{1}; Delete; }{ Surface{2:6}; Delete; };

levels = (size < coarse) ? Ceil(Log(coarse / size) / Log(2)) : 0;
eps = 1e-6;
rim() = Curve In BoundingBox{0.5 - 0.11, 0.5 - 0.11, -eps, 0.5 + 0.11, 0.5 + 0.11, eps};
all() = Boundary{ Surface{7}; };
Physical Curve("Gamma_g1") = {all(0):all(3)};
Physical Curve("Gamma_g2") = rim();
Physical Surface("plate") = {7};
Mesh.Algorithm = 8;
Mesh.RecombineAll = 1;
Mesh.MeshSizeMin = size * 2 ^ levels;
Mesh.MeshSizeMax = size * 2 ^ levels;
Mesh.MshFileVersion = 4.1;
Mesh 2;
For i In {1 : levels}
  RefineMesh;
EndFor
