// SPDX-License-Identifier: BSD-3-Clause
// A bracket in hexahedra, metres: an angle of two legs with a round fillet and two bolt holes, meshed in quadrilaterals
// and extruded. No paper's; it stands for a real part beside paper 2's beams.
// gmsh -3 hex_bracket.geo -setnumber size 0.01 -o bracket.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.01, Name "Parameters/Element size"} ];
leg = 0.4;
thickness = 0.08;
depth = 0.2;

Rectangle(1) = {0, 0, 0, leg, thickness};
Rectangle(2) = {0, 0, 0, thickness, leg};
Rectangle(3) = {thickness, thickness, 0, thickness, thickness};
Disk(4) = {2 * thickness, 2 * thickness, 0, thickness};
BooleanDifference(5) = { Surface{3}; Delete; }{ Surface{4}; Delete; };
BooleanUnion(6) = { Surface{1}; Delete; }{ Surface{2}; Surface{5}; Delete; };
Disk(7) = {0.75 * leg, thickness / 2, 0, thickness / 4};
Disk(8) = {thickness / 2, 0.75 * leg, 0, thickness / 4};
BooleanDifference(9) = { Surface{6}; Delete; }{ Surface{7}; Surface{8}; Delete; };
Extrude {0, 0, depth} { Surface{9}; Layers{Round(depth / size)}; Recombine; }

eps = 1e-6;
Physical Surface("clamped") = Surface In BoundingBox{-eps, leg - eps, -eps, thickness + eps, leg + eps, depth + eps};
Physical Surface("loaded") = Surface In BoundingBox{leg - eps, -eps, -eps, leg + eps, thickness + eps, depth + eps};
Physical Volume("bracket") = {1};
Mesh.Algorithm = 8;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2; // quadrilaterals alone
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
