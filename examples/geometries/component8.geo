// SPDX-License-Identifier: BSD-3-Clause
// The nut component8.step of Gmsh's own examples (Debian's gmsh-doc), dimensions in mm, its axis along y.
// gmsh -3 -order 2 -setstring step FILE component8.geo -o nut.msh
SetFactory("OpenCASCADE");
DefineConstant[ step = {"component8.step", Name "Parameters/STEP file"} ];
DefineConstant[ size = {2.5, Name "Parameters/Element size"} ];
Merge Str(step);

// The thread holds the nut on its bolt; the bolt's force presses on the bearing face.
Physical Surface("thread") = {17, 18};
Physical Surface("bearing") = {1};
Physical Volume("steel") = Volume{:};
Mesh.MeshSizeMin = size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 4.1;
