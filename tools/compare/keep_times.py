#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps of a calibration what Best predicts by: a line a mesh, and a line a strategy on an element, form and scalar.

    tessera-compare --calibrate results/h100.txt --backends cuda --calibrate-meshes uneven=results/random.msh
    keep_times.py results/h100.txt > strategies/best/tables/devices/nvidia_h100.txt
    keep_times.py --check strategies/best/tables/*/*.txt    # exit status 1 where a table is not as this script writes it

What is left out follows from what is kept, or no prediction rests on it: other meshes; the cost model's bytes on the
small box; on shuffled and bent boxes those of the ordered ones; flops, which grow with the elements; and plans, whose
share is that of the ordered box. A calibration for which that does not hold is refused.
"""

import argparse
import itertools
import math
import pathlib
import sys

RAW, KEPT = "tessera calibration 1", "tessera kept calibration 1"
FACTS = ("device", "kokkos", "date", "commit", "bytes_per_second", "flops_per_second")
MESHES = ("small", "ordered", "shuffled", "ordered third", "shuffled third", "bent", "uneven")
MESH_NUMBERS = ("elements", "spread", "bent", "crowding")
RAW_COLUMNS = ("family", "strategy", "element", "form", "scalar", "mesh", *MESH_NUMBERS, "bytes", "flops", "seconds",
               "plan_seconds", "plan_bytes")
CASE = ("family", "strategy", "element", "form", "scalar")
# The meshes whose bytes are kept, and those that have the same.
BYTES_OF = {"ordered": ("shuffled", "bent"), "ordered third": ("shuffled third",), "uneven": ()}
KEPT_MESHES = ("element", "mesh", *MESH_NUMBERS)
KEPT_TIMES = (*CASE, "plan_seconds", "plan_bytes", "flops", *("bytes " + mesh for mesh in BYTES_OF), *MESHES)


def fail(file, problem):
    sys.exit(f"{file}: {problem}")


class Lines:
    """The lines of a table, one after the other."""

    def __init__(self, file, first):
        self.file, self.number = file, 1
        self.lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
        if self.lines[:1] != [first]:
            fail(file, f"its first line must be '{first}'")

    def next(self):
        if self.number == len(self.lines):
            fail(self.file, "is cut short")
        self.number += 1
        return self.lines[self.number - 1]

    def value(self, name):
        line = self.next()
        if not line.startswith(name + " = "):
            fail(self.file, f"line {self.number} must begin with '{name} = '")
        return line.removeprefix(name + " = ")

    def facts(self):
        return {name: self.value(name) for name in FACTS}

    def rows(self, count, columns):
        if self.next() != ",".join(columns):
            fail(self.file, f"line {self.number} must be '{','.join(columns)}'")
        rows = [self.next().split(",") for _ in range(int(count))]
        for row in rows:
            if len(row) != len(columns):
                fail(self.file, f"'{','.join(row)}' must have {len(columns)} columns")
        return [dict(zip(columns, row)) for row in rows]

    def end(self):
        if self.next() != "end" or self.number != len(self.lines):
            fail(self.file, f"line {self.number} must be 'end', and the last")


def number(value):
    return f"{value:.6g}"


def case_of(meshes, name, file):
    """The kept line of a strategy in one case; meshes: the raw row on each."""
    who = ", ".join(name)

    def same(condition, what):
        if not condition:
            fail(file, f"{who}: {what}; choice.cpp would miss it")

    same("ordered" in meshes, "was not measured on the ordered box")
    ordered = meshes["ordered"]
    smallest = min(meshes.values(), key=lambda row: float(row["elements"]))  # whose digits are not rounded
    flops = number(float(smallest["flops"]) / float(smallest["elements"]))
    for mesh, row in meshes.items():
        same(math.isclose(float(row["flops"]), float(flops) * float(row["elements"]), rel_tol=2e-5),
             f"flops an element of the {mesh} box are not those of the {smallest['mesh']} one")
    for mesh, others in BYTES_OF.items():
        for other in others:
            if other in meshes:
                same(mesh in meshes and meshes[mesh]["bytes"] == meshes[other]["bytes"],
                     f"bytes on the {other} box are not those on the {mesh} one")
    kept = dict(zip(CASE, name), flops=flops, plan_seconds=ordered["plan_seconds"], plan_bytes=ordered["plan_bytes"])
    for mesh in BYTES_OF:
        kept["bytes " + mesh] = meshes[mesh]["bytes"] if mesh in meshes else ""
    for mesh in MESHES:
        kept[mesh] = meshes[mesh]["seconds"] if mesh in meshes else ""
    return kept


def keep(file):
    """What is kept of a raw table: its facts, meshes and cases."""
    lines = Lines(file, RAW)
    facts = lines.facts()
    rows = lines.rows(lines.value("rows"), RAW_COLUMNS)
    lines.end()
    meshes, cases = {}, {}
    for row in rows:
        if row["mesh"] not in MESHES:
            continue
        mesh = {name: row[name] for name in KEPT_MESHES}
        if meshes.setdefault((row["element"], row["mesh"]), mesh) != mesh:
            fail(file, f"the {row['mesh']} box of {row['element']} is not the same in all rows")
        case = cases.setdefault(tuple(row[name] for name in CASE), {})
        if row["mesh"] in case:
            fail(file, f"{', '.join(row[name] for name in CASE)}: stands twice on the {row['mesh']} box")
        case[row["mesh"]] = row
    return facts, list(meshes.values()), [case_of(on, name, file) for name, on in cases.items()]


def text_of(facts, meshes, cases):
    """A table, elements and in them meshes or cases in a fixed order."""
    elements = sorted({mesh["element"] for mesh in meshes})
    meshes = sorted(meshes, key=lambda m: (elements.index(m["element"]), MESHES.index(m["mesh"])))
    cases = sorted(cases, key=lambda c: (elements.index(c["element"]), *(c[name] for name in CASE)))
    lines = [KEPT, *(f"{name} = {facts[name]}" for name in FACTS)]
    for name, columns, rows in (("meshes", KEPT_MESHES, meshes), ("times", KEPT_TIMES, cases)):
        lines += [f"{name} = {len(rows)}", ",".join(columns)]
        lines += [",".join(row[column] for column in columns) for row in rows]
    return "\n".join([*lines, "end"]) + "\n"


def check(file):
    """Ends the program if the table is not as `text_of` writes it, or a case lies on a mesh that is not there."""
    lines = Lines(file, KEPT)
    facts = lines.facts()
    meshes = lines.rows(lines.value("meshes"), KEPT_MESHES)
    cases = lines.rows(lines.value("times"), KEPT_TIMES)
    lines.end()
    known = {(mesh["element"], mesh["mesh"]) for mesh in meshes}
    for case, mesh in itertools.product(cases, MESHES):
        if case[mesh] and (case["element"], mesh) not in known:
            fail(file, f"has no {mesh} box of {case['element']}")
    for row, column in itertools.chain(itertools.product(meshes, KEPT_MESHES[2:]),
                                       itertools.product(cases, KEPT_TIMES[len(CASE):])):
        if row[column] and number(float(row[column])) != row[column]:
            fail(file, f"{column} is {row[column]}, which would be written {number(float(row[column]))}")
    if text_of(facts, meshes, cases) != pathlib.Path(file).read_text(encoding="utf-8"):
        fail(file, "is not in the order that keep_times.py writes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="the files are tables that were kept")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.check:
        for file in arguments.files:
            check(file)
    elif len(arguments.files) == 1:
        sys.stdout.write(text_of(*keep(arguments.files[0])))
    else:
        parser.error("keeps one calibration at a time")


if __name__ == "__main__":
    main()
