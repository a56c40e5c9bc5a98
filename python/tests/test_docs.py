# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python.md run, one after the other."""

import pathlib
import re

from reference import needs

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


@needs("tet1")
@needs("hex1")
def test_examples():
    text = PAGE.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
