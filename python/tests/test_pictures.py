# SPDX-License-Identifier: BSD-3-Clause
"""Pictures, by their pixels."""

import io

import numpy as np
import pytest
import tessera_fem as tf
from reference import needs
from tessera_fem import _tessera

image = pytest.importorskip("matplotlib.image")
pytestmark = [
    needs("quad1"),
    pytest.mark.skipif(not _tessera.have_pictures, reason="the library was built without VTK"),
]


def pixels(png):
    """Height x width x 3 of a PNG file, 0 to 255."""
    return 255 * image.imread(io.BytesIO(png))[:, :, :3]


def share(picture, color):
    return (abs(picture - np.array(color)).max(axis=2) < 5).mean()


SMALL = {"width": 400, "height": 300}
LOWEST, HIGHEST = (68, 1, 84), (253, 231, 37)  # the ends of the fields' scale


def test_mesh():
    mesh = tf.box((4, 3), element="quad1")
    assert pixels(mesh._repr_png_()).shape == (600, 800, 3)
    small = pixels(mesh.picture(**SMALL).data)
    assert small.shape == (300, 400, 3) and share(small, (255, 255, 255)) < 0.99


def test_field():
    mesh = tf.box((4, 4), element="quad1")
    step = tf.Field(mesh, np.where(mesh.points[:, 0] > 0.6, 2.0, 1.0), "T", "K")
    assert pixels(step._repr_png_()).shape == (600, 800, 3)
    small = pixels(step.picture(**SMALL).data)
    left, right = small[:, :150], small[:, 150:300]
    assert share(left, LOWEST) > 0.1 and share(left, HIGHEST) == 0
    assert share(right, HIGHEST) > 0.1
    assert "T" in repr(step) and "25 values" in repr(step)


def test_displacements_are_drawn_deformed():
    mesh = tf.box((2, 2), element="quad1")
    sheared = np.column_stack([mesh.points[:, 1], 0 * mesh.points[:, 0]])
    assert tf.Field(mesh, sheared).picture().data != tf.Field(mesh, mesh.points[:, 1]).picture().data


def test_numbers_have_their_colors():
    mesh = tf.box((2, 1), element="quad1")
    same, other = (pixels(mesh.picture(numbers, "parts", **SMALL).data) for numbers in ([0, 0], [0, 1]))
    changed = abs(same - other).max(axis=2)[:, :300] > 20
    assert 0.02 < changed.mean() < 0.6


@needs("tet1")
def test_looks():
    """Each changes the picture of a mesh and that of a field."""
    mesh = tf.box((2, 3, 2))
    field = tf.Field(mesh, mesh.points[:, 1])
    looks = [{}, {"title": "seen"}, {"back": True}, {"cut": True}]
    for draw in (mesh.picture, field.picture):
        assert len({draw(**SMALL, **look).data for look in looks}) == len(looks)


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
