// SPDX-License-Identifier: BSD-3-Clause
// Domain of Cecka, Lew and Darve (paper 1, section 6.1, Figure 11): steady heat, f = 0.1, u = 200 on Gamma_g1 and
// u = 10 on Gamma_g2. The figure is not in our copy. Table VI says what it must look like: nodes V and triangles F of
// a plane mesh with H holes and B edges on its boundary obey F = 2 V - B - 2 + 2 H, and with B doubling from row to
// row that gives H = 5 and B = 84 for the first one. A unit square with five round holes has the same number of
// boundary edges beside that many triangles if their radius is 0.094; which edges Gamma_g1 and Gamma_g2 are is our
// choice.
// gmsh -2 paper1_plate.geo -setnumber size 0.05 -o paper1_plate.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.05, Name "Parameters/Element size"} ];
radius = 0.094;

Rectangle(1) = {0, 0, 0, 1, 1};
Disk(2) = {0.25, 0.25, 0, radius};
Disk(3) = {0.75, 0.25, 0, radius};
Disk(4) = {0.5, 0.5, 0, radius};
Disk(5) = {0.25, 0.75, 0, radius};
Disk(6) = {0.75, 0.75, 0, radius};
BooleanDifference(7) = { Surface{1}; Delete; }{ Surface{2:6}; Delete; };

eps = 1e-6;
Physical Curve("Gamma_g1") = Curve In BoundingBox{-eps, -eps, -eps, eps, 1 + eps, eps};
Physical Curve("Gamma_g2") = Curve In BoundingBox{1 - eps, -eps, -eps, 1 + eps, 1 + eps, eps};
Physical Surface("plate") = {7};
Mesh.Algorithm = 6;
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
