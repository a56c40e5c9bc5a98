# SPDX-License-Identifier: BSD-3-Clause
"""Pictures, by their pixels."""

import struct
import zlib

import numpy as np
import pytest
import tessera_fem as tf
from reference import needs
from tessera_fem import _tessera

pytestmark = [
    needs("quad1"),
    pytest.mark.skipif(not _tessera.have_pictures, reason="the library was built without VTK"),
]


def pixels(png):
    """Height x width x 3 of a PNG file with 8 bits a color."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, chunk = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            data += chunk
        at += 12 + length
    size = 3 if color == 2 else 4
    raw = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * size)
    image = np.zeros((height, width, size), np.int64)
    before = np.zeros((width, size), np.int64)
    for y, row in enumerate(raw):
        image[y] = before = unfiltered(row[0], row[1:].reshape(width, size).astype(np.int64), before)
    return image[:, :, :3]


def unfiltered(kind, row, above):
    if kind == 0:
        return row
    if kind == 2:
        return (row + above) % 256
    if kind == 1:
        return np.cumsum(row, axis=0) % 256
    left, corner, result = np.zeros_like(row[0]), np.zeros_like(row[0]), np.empty_like(row)
    for x in range(len(row)):
        guess = (left + above[x]) // 2 if kind == 3 else paeth(left, above[x], corner)
        left, corner = (row[x] + guess) % 256, above[x]
        result[x] = left
    return result


def paeth(a, b, c):
    distance = abs(np.stack([b - c, a - c, a + b - 2 * c]))
    return np.choose(np.argmin(distance, axis=0), [a, b, c])


def share(image, color):
    return (abs(image - np.array(color)).max(axis=2) < 5).mean()


LOWEST, HIGHEST = (68, 1, 84), (253, 231, 37)  # the ends of the fields' scale


def test_mesh():
    mesh = tf.box((4, 3), element="quad1")
    image = pixels(mesh._repr_png_())
    assert image.shape == (600, 800, 3) and share(image, (255, 255, 255)) < 0.99
    assert pixels(mesh.picture(width=400, height=300).data).shape == (300, 400, 3)


def test_field():
    mesh = tf.box((4, 4), element="quad1")
    step = tf.Field(mesh, np.where(mesh.points[:, 0] > 0.6, 2.0, 1.0), "T", "K")
    image = pixels(step._repr_png_())
    left, right = image[:, :300], image[:, 300:600]
    assert share(left, LOWEST) > 0.1 and share(left, HIGHEST) == 0
    assert share(right, HIGHEST) > 0.1
    assert "T" in repr(step) and "25 values" in repr(step)


def test_displacements_are_drawn_deformed():
    mesh = tf.box((2, 2), element="quad1")
    sheared = np.column_stack([mesh.points[:, 1], 0 * mesh.points[:, 0]])
    assert tf.Field(mesh, sheared).picture().data != tf.Field(mesh, mesh.points[:, 1]).picture().data


def test_numbers_have_their_colors():
    mesh = tf.box((2, 1), element="quad1")
    same, other = (pixels(mesh.picture(numbers, "parts").data) for numbers in ([0, 0], [0, 1]))
    changed = abs(same - other).max(axis=2)[:, :600] > 20
    assert 0.02 < changed.mean() < 0.6


def test_saved(tmp_path):
    picture = tf.box((1, 1), element="quad1").picture()
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture.data == picture._repr_png_()


def test_refusals():
    mesh = tf.box((2, 1), element="quad1")
    with pytest.raises(tf.ArgumentError, match="3 values for 6 nodes"):
        tf.Field(mesh, [1, 2, 3])
    with pytest.raises(tf.ArgumentError):
        mesh.picture([0, -1])
    with pytest.raises(tf.ArgumentError):
        mesh.picture([0])
    with pytest.raises(tf.ArgumentError):
        mesh.picture(width=10)
    with pytest.raises(tf.ArgumentError):
        tf.Field(mesh, np.full(6, np.nan)).picture()


def test_without_vtk(monkeypatch):
    monkeypatch.setattr(_tessera, "have_pictures", False)
    mesh = tf.box((2, 1), element="quad1")
    assert mesh._repr_png_() is None and tf.Field(mesh, np.zeros(6))._repr_png_() is None
    with pytest.raises(tf.UnsupportedError, match="without it"):
        mesh.picture()
