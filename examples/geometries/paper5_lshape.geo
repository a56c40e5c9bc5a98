// SPDX-License-Identifier: BSD-3-Clause
// The L-shaped beam of Kiran, Gautam and Sharma (paper 5, section 4.1, Figure 7) in squares, metres. The figure is not
// in our copy. Table 2 gives a x a squares without b x b, with b = 3/4 a for all five meshes; the size of the whole and
// where it is held and loaded are our choice.
// gmsh -2 paper5_lshape.geo -setnumber size 0.01 -o lshape.msh
DefineConstant[ size = {0.01, Name "Parameters/Element size"} ];
leg = 0.25;
squares_leg = Round(leg / size);
squares_gap = Round((1 - leg) / size);

// Nodes of the three rectangles, counted from the lower left corner.
Point(1) = {0, 0, 0};
Point(2) = {leg, 0, 0};
Point(3) = {1, 0, 0};
Point(4) = {0, leg, 0};
Point(5) = {leg, leg, 0};
Point(6) = {1, leg, 0};
Point(7) = {0, 1, 0};
Point(8) = {leg, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {4, 5};
Line(4) = {5, 6};
Line(5) = {7, 8};
Line(6) = {1, 4};
Line(7) = {2, 5};
Line(8) = {3, 6};
Line(9) = {4, 7};
Line(10) = {5, 8};
Curve Loop(1) = {1, 7, -3, -6};
Curve Loop(2) = {2, 8, -4, -7};
Curve Loop(3) = {3, 10, -5, -9};
For i In {1 : 3}
  Plane Surface(i) = {i};
EndFor
Transfinite Curve{1, 3, 5, 6, 7, 8} = squares_leg + 1;
Transfinite Curve{2, 4, 9, 10} = squares_gap + 1;
Transfinite Surface{1 : 3};
Recombine Surface{1 : 3};

Physical Curve("clamped") = {5};
Physical Curve("loaded") = {8};
Physical Surface("beam") = {1 : 3};
Mesh.MshFileVersion = 4.1;
