#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""random_mesh.py DIMENSION POINTS FILE.msh: Delaunay's mesh of random points in a square or cube, for Gmsh's readers.

Nodes have as many elements around them as chance gives: the mesh `uneven` of tessera-compare --calibrate. Needs SciPy."""

import sys

import numpy
from scipy.spatial import Delaunay


def main(dimension, points, path):
    nodes = numpy.random.default_rng(1).random((points, dimension))
    cells = Delaunay(nodes).simplices
    edges = nodes[cells[:, 1:]] - nodes[cells[:, :1]]
    size = numpy.linalg.det(edges)
    cells[size < 0, :2] = cells[size < 0, 1::-1]
    size = abs(size)
    cells = cells[size > 1e-6 * size.mean()] + 1  # flat cells of the hull and slivers are left out
    with open(path, "w") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % points)
        numpy.savetxt(file, numpy.column_stack([numpy.arange(1, points + 1), nodes, numpy.zeros((points, 3 - dimension))]),
                      fmt="%d %.17g %.17g %.17g")
        file.write("$EndNodes\n$Elements\n%d\n" % len(cells))
        head = numpy.tile([2 if dimension == 2 else 4, 2, 1, 1], (len(cells), 1))
        numpy.savetxt(file, numpy.column_stack([numpy.arange(1, len(cells) + 1), head, cells]), fmt="%d")
        file.write("$EndElements\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("2", "3"):
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
