// SPDX-License-Identifier: BSD-3-Clause
// Stands for "Heart" and "Brain" of paper 4 (Table 1, Figure 4), which were segmented from images and are not
// published: the wall of an organ, a closed surface of lobes around two closed cavities. Units: cm.
// gmsh -3 paper4_organ.geo -setnumber size 0.2 -o organ.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {0.4, Name "Parameters/Element size"} ];

// An ellipsoid with half axes a, b, c, turned about the y axis and moved to x, y, z.
Macro Lobe
  Sphere(n) = {0, 0, 0, 1};
  Dilate { {0, 0, 0}, {a, b, c} } { Volume{n}; }
  Rotate { {0, 1, 0}, {0, 0, 0}, angle } { Volume{n}; }
  Translate {x, y, z} { Volume{n}; }
Return

n = 1; a = 3.6; b = 3.2; c = 5.0; angle = 0.35; x = 0.0; y = 0.0; z = 0.0; Call Lobe;
n = 2; a = 2.3; b = 2.6; c = 2.0; angle = 0.0; x = -1.2; y = 0.3; z = 4.1; Call Lobe;
n = 3; a = 2.2; b = 2.3; c = 2.1; angle = 0.2; x = 2.4; y = -0.4; z = 3.7; Call Lobe;
n = 4; a = 1.4; b = 1.9; c = 3.4; angle = 0.4; x = -1.2; y = 0.1; z = 0.0; Call Lobe;
n = 5; a = 1.0; b = 1.8; c = 2.9; angle = 0.3; x = 1.9; y = 0.0; z = 0.6; Call Lobe;
BooleanUnion(10) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
BooleanDifference(11) = { Volume{10}; Delete; }{ Volume{4, 5}; };


Physical Surface("surface") = Boundary{ Volume{11}; };
Physical Volume("wall") = {11};
Mesh.Algorithm3D = 10;
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
