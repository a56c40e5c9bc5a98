# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python.md run, one after the other."""

import importlib.util
import pathlib
import re

import pytest
from reference import needs
from tessera_fem import _tessera

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


@needs("tet1")
@needs("hex1")
@needs("tri1")
@pytest.mark.skipif(not _tessera.have_pictures, reason="the library was built without VTK")
@pytest.mark.skipif(importlib.util.find_spec("minimal_surface") is None, reason="the example is not built")
def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
    assert (tmp_path / "beam.png").stat().st_size > 1000
