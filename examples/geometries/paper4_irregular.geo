// SPDX-License-Identifier: BSD-3-Clause
// "Irregular" of Fu, Lewis, Kirby and Whitaker (paper 4, Table 1): a 4 x 4 x 4 cube in tetrahedra without a pattern.
// gmsh -3 paper4_irregular.geo -setnumber size 0.1 -o irregular.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.2, Name "Parameters/Element size"} ];

Box(1) = {-2, -2, -2, 4, 4, 4};

Physical Surface("boundary") = Boundary{ Volume{1}; };
Physical Volume("inside") = {1};
Mesh.Algorithm3D = 10;
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
