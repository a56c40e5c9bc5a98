#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""quoted.py SOURCE: where a page says of a block of code which example it is from, its lines stand in that example, one after the
other, but for their indentation and what `…` leaves out."""

import pathlib
import re
import sys


def quotations(page):
    """The example that the last paragraph before a block of C++ names, the number of the block's first line, its lines."""
    lines = page.read_text().splitlines()
    paragraph, first = "", None
    for number, line in enumerate(lines, 1):
        if first is not None:
            if line == "```":
                yield name, first, lines[first - 1 : number - 1]
                paragraph, first = "", None
        elif line == "```cpp" and (names := re.findall(r"`(examples/\w+\.cpp)`", paragraph)):
            name, first = names[-1], number + 1
        elif line and lines[number - 2] == "":
            paragraph = line
        elif line:
            paragraph += line


def lines_that_differ(lines, example):
    """Numbers of the lines that the example does not have behind the line before."""
    remaining = [line.strip() for line in example.splitlines() if line.strip()]
    anywhere = True
    for number, line in enumerate(line.strip() for line in lines):
        if line == "…":
            anywhere = True
        elif line and line in (remaining if anywhere else remaining[:1]):
            del remaining[: remaining.index(line) + 1]
            anywhere = False
        elif line:
            yield number


def main():
    source = pathlib.Path(sys.argv[1])
    wrong, count = [], 0
    for page in [source / "README.md", *sorted((source / "docs").rglob("*.md"))]:
        for name, first, lines in quotations(page):
            count += 1
            for number in lines_that_differ(lines, (source / name).read_text()):
                wrong.append(f"{page.relative_to(source)}:{first + number}: not so in {name}: {lines[number].strip()}")
    print("\n".join(wrong) or f"{count} blocks of code stand in the examples that they are from")
    return 1 if wrong or count < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
