// SPDX-License-Identifier: BSD-3-Clause
// "Blobs" of paper 4 (Table 1, Figure 5): a cube with blobs of another material, 20 % of its volume. Balls that
// overlap make the blobs; where they lie is our choice.
// gmsh -3 paper4_blobs.geo -setnumber size 0.1 -o blobs.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.2, Name "Parameters/Element size"} ];

Box(1) = {-2, -2, -2, 4, 4, 4};
Sphere(2) = {-0.9, -0.8, -0.9, 0.8};
Sphere(3) = {-0.3, -0.5, -0.4, 0.69};
Sphere(4) = {0.9, 0.9, -0.7, 0.9};
Sphere(5) = {1.1, 0.2, -0.9, 0.58};
Sphere(6) = {-0.8, 0.8, 0.7, 0.85};
Sphere(7) = {0.9, -0.9, 0.8, 0.96};
Sphere(8) = {0.2, -0.9, 1.1, 0.58};
BooleanUnion(20) = { Volume{2}; Delete; }{ Volume{3}; Delete; };
BooleanUnion(21) = { Volume{4}; Delete; }{ Volume{5}; Delete; };
BooleanUnion(22) = { Volume{7}; Delete; }{ Volume{8}; Delete; };
BooleanDifference(30) = { Volume{1}; Delete; }{ Volume{20, 21, 22, 6}; };
Coherence;

eps = 1e-6;
sides() = {};
For axis In {0 : 2}
  For end In {0 : 1}
    x = (axis == 0) ? 4 * end - 2 : -2;  X = (axis == 0) ? x : 2;
    y = (axis == 1) ? 4 * end - 2 : -2;  Y = (axis == 1) ? y : 2;
    z = (axis == 2) ? 4 * end - 2 : -2;  Z = (axis == 2) ? z : 2;
    sides() += Surface In BoundingBox{x - eps, y - eps, z - eps, X + eps, Y + eps, Z + eps};
  EndFor
EndFor
Physical Surface("boundary") = sides();
Physical Volume("outside", 1) = {30};
Physical Volume("blobs", 2) = {20, 21, 22, 6};
Mesh.Algorithm3D = 10;
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
