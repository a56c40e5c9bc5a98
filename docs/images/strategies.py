#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""strategies.py SOURCE: draws the times of all strategies on linear tetrahedra, beside the bound, as docs/performance/h200.md
has them, to docs/images/strategies.svg of the source tree. With --check nothing is written, and the picture must be that one."""

import math
import pathlib
import re
import sys

LEFT, WIDTH, ROW, TOP = 250, 900, 22, 58
LEAST, MOST = 0.01, 3  # nanoseconds
COLORS = {"bitwise": "#1b6ca8", "rounding": "#d98c21"}


def rows_of(page):
    """[(strategy, nanoseconds, times the bound, "bitwise" or "rounding"), ...], the fastest first."""
    table = page[page.index("## Times"):page.index("## Plans")]
    found = re.findall(r"^\| `([^`]+)` \| ([\d.]+) \(([\d.]+)\) \|.*\| (bitwise|rounding) \|$", table, re.MULTILINE)
    return sorted(((name, float(time), float(ratio), repeats) for name, time, ratio, repeats in found), key=lambda row: row[1])


def position(nanoseconds):
    return LEFT + (WIDTH - LEFT - 60) * math.log(nanoseconds / LEAST) / math.log(MOST / LEAST)


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{words}</text>'


def picture(rows):
    height = TOP + ROW * len(rows) + 40
    bound = position(rows[0][1] / rows[0][2])
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" '
           f'fill="#222222">')
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    yield text(16, 22, "Nanoseconds an element, logarithmic: matrix and load of 12 million linear tetrahedra, double precision, one NVIDIA H200",
               'font-size="14"')
    for i, (repeats, words) in enumerate((("bitwise", "the same bits in every run"), ("rounding", "equal to rounding"))):
        yield f'<rect x="{LEFT + 230 * i}" y="34" width="12" height="12" fill="{COLORS[repeats]}"/>'
        yield text(LEFT + 18 + 230 * i, 45, words)
    for i, (name, time, _, repeats) in enumerate(rows):
        y = TOP + ROW * i
        yield text(LEFT - 8, y + 14, name, 'text-anchor="end"')
        yield f'<rect x="{LEFT}" y="{y + 2}" width="{position(time) - LEFT:.1f}" height="{ROW - 5}" fill="{COLORS[repeats]}"/>'
        yield text(position(time) + 5, y + 14, f"{time:g}")
    bottom = TOP + ROW * len(rows)
    yield f'<line x1="{bound:.1f}" y1="{TOP - 2}" x2="{bound:.1f}" y2="{bottom + 6}" stroke="#c0392b" stroke-width="2"/>'
    yield text(bound, bottom + 24, "bound: what must be read and written, at the copy's bandwidth", 'fill="#c0392b"')
    yield "</svg>"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    docs = pathlib.Path(arguments[0]) / "docs"
    drawn = "\n".join(picture(rows_of((docs / "performance/h200.md").read_text()))) + "\n"
    file = docs / "images/strategies.svg"
    if "--check" not in sys.argv:
        file.write_text(drawn)
    elif file.read_text() != drawn:
        sys.exit(f"{file} is not what docs/images/strategies.py draws of docs/performance/h200.md")


if __name__ == "__main__":
    main()
