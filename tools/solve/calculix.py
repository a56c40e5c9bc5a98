#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs CalculiX's own test decks through tessera-solve and tabulates how far its displacements are from theirs.

    calculix.py --solve build/serial/bin/tessera-solve --output docs/calculix.md
    calculix.py --solve build/serial/bin/tessera-solve --check docs/calculix.md    # exit status 1 where it differs
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

DECKS = pathlib.Path("/usr/share/doc/calculix-ccx-test/examples/test")

# Digits of the largest displacement: CalculiX prints seven in .dat and six in .frd files.
AGREES = 5.0

OUTCOMES = ("agrees", "differs", "solved", "refused")

# Why the displacements of an element, or of a deck, differ where the meshes, materials, supports and loads are the same.
REASONS = {
    "beampic": "CalculiX recorded what its iterative solver left; the answer has 7.3 digits of the displacements that it "
               "recorded of the same problem solved directly, `beampset.dat.ref`",
    "CPS4": "CalculiX expands CPS4 to one C3D8 through the thickness, in which the stress across the plane is zero in the "
            "mean only; the same expansion as hex1 gives CalculiX's displacements (`DeckProblems.Planestress3Expanded`)",
}

INTRODUCTION = """\
# CalculiX's test decks

Made by `tools/solve/calculix.py`, not by hand: each deck of `calculix-ccx-test` goes through
`tessera-solve --deck DECK --steps 1 --reference REFERENCE --tolerance 1e-10` with its own materials, supports and loads,
and the displacements are compared with those that CalculiX recorded at the end of the first step, in its `.dat` or, where
that has none, its `.frd` file. What stands below the first step, such as a step of frequencies, is not regarded. Digits
are those of the largest displacement to which all components at all nodes agree; CalculiX prints seven in `.dat` and six in
`.frd` files. A deck *agrees* from five on.

CalculiX is known for integrating C3D8 with a mean volumetric strain (B-bar). These linear steps show nothing of it:
`beam8p` agrees in every printed digit with 2 x 2 x 2 points and full strains. C3D8I and C3D8R are other elements than
hex1, and are refused; so are C3D6 and C3D15, integrated at two and nine points, wedge1 at six and wedge15 at 18. C3D20R,
CPS8R and CPE8R are integrated with two Gauss points an axis, as CalculiX does it.

A deck may have

| of | keywords |
|---|---|
| elements | `*NODE`, `*NGEN`, `*ELEMENT`, `*ELGEN`, sets, surfaces, `*PART`, `*INSTANCE`, `*SOLID SECTION` by set |
| materials | `*ELASTIC` isotropic, `ORTHO`, `ENGINEERING CONSTANTS` and `ANISOTROPIC`, along axes of `*ORIENTATION` (rectangular) and `*DISTRIBUTION`; `*DENSITY`; `*EXPANSION`, `ISO` and `ORTHO` |
| supports | `*BOUNDARY`, along axes of `*TRANSFORM` |
| equations | `*EQUATION`, `*TIE`, `*COUPLING` with `*KINEMATIC`, `*RIGID BODY` with `REF NODE` and `ROT NODE` |
| loads | `*CLOAD`; `*DLOAD` with `P1` to `P6`, `GRAV`, `CENTRIF`; `*DSLOAD` with `P`; `*INITIAL CONDITIONS, TYPE=TEMPERATURE` and `*TEMPERATURE` |
| steps | several `*STEP` with `*STATIC`, whose loads and supports replace earlier ones or, with `OP=NEW`, end them |

All else is refused with its line, unless it asks for output only. So is `*MPC`: with its `BEAM` as linear equations `beammpc`
agreed to 2.4 digits only.
"""


def reference_of(deck):
    """The deck's file that records displacements, or None."""
    for suffix, mark in ((".dat.ref", "displacements (vx,vy,vz)"), (".frd.ref", " -4  DISP")):
        path = deck.with_suffix(suffix)
        if path.exists() and mark in path.read_text(errors="replace"):
            return path
    return None


def run(solve, deck):
    """Outcome, elements and detail of a deck."""
    command = [solve, "--deck", str(deck), "--steps", "1", "--tolerance", "1e-10"]
    reference = reference_of(deck)
    compare = ["--reference", str(reference), "--digits", str(AGREES)] if reference else []
    result = subprocess.run(command + compare, capture_output=True, text=True, timeout=600)
    if result.returncode == 2 and "has no displacements of a first step" in result.stderr:
        reference = None
        result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if result.returncode == 2:
        message = result.stderr.strip().splitlines()[-1]
        message = message.replace("tessera-solve: ", "").replace(str(deck.parent) + "/", "")
        return "refused", "", message
    differs = result.returncode == 1 and f"NOT the {AGREES:.1f} asked for" in result.stdout
    if result.returncode != 0 and not differs:
        raise SystemExit(f"{deck.name}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    elements = re.search(r", (\d.*? as \w+):", result.stdout).group(1)
    if not reference:
        return "solved", elements, "CalculiX recorded no displacements of the first step"
    nodes, known, digits = re.search(r"reference: (\d+) of (\d+) nodes,.* ([\d.]+|inf) digits", result.stdout).groups()
    detail = f"{float(digits):.1f} digits at {nodes} of {known} nodes of `{reference.name}`"
    if not differs:
        return "agrees", elements, detail
    reasons = [REASONS[name] for name in [deck.stem, *re.findall(r"\d+ (\w+)", elements)] if name in REASONS]
    return "differs", elements, "; ".join([detail] + reasons)


def table(solve, folder):
    """The rows of all decks but those of other elements, and the counts of those."""
    rows, foreign = [], collections.Counter()
    for deck in sorted(folder.glob("*.inp")):
        outcome, elements, detail = run(solve, deck)
        other = re.search(r"element type '(\w+)' is not supported|has no (\*ELEMENT|\*END PART)", detail)
        if other:
            foreign[other.group(1) or "without " + other.group(2)] += 1
        else:
            rows.append((deck.stem, outcome, elements, detail))
    return rows, foreign


def document(rows, foreign):
    counts = collections.Counter(row[1] for row in rows)
    lines = [INTRODUCTION]
    lines.append(f"Of {len(rows) + sum(foreign.values())} decks {len(rows)} are made of elements that Tessera has: "
                 + ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES)
                 + f". The other {sum(foreign.values())} are refused at the first element that it has not: "
                 + ", ".join(f"{name} {count}" for name, count in foreign.most_common()) + ".\n")
    lines += ["| deck | outcome | elements | detail |", "|---|---|---|---|"]
    for name, outcome, elements, detail in sorted(rows, key=lambda row: (OUTCOMES.index(row[1]), row[0])):
        lines.append(f"| {name} | {outcome} | {elements} | {detail.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def outcomes(text):
    """Deck, outcome and elements of a document's rows: what must not change; digits may in the last place."""
    return {match.groups() for match in re.finditer(r"^\| (\w+(?:\.\w+)*) \| (\w+) \| (.*?) \|", text, re.MULTILINE)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solve", required=True, help="tessera-solve")
    parser.add_argument("--decks", type=pathlib.Path, default=DECKS, help="folder of the decks")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file to write")
    parser.add_argument("--check", type=pathlib.Path, help="Markdown file to compare the outcomes with")
    arguments = parser.parse_args()
    if not arguments.decks.is_dir():
        parser.error(f"{arguments.decks} is no folder; is calculix-ccx-test installed?")
    text = document(*table(arguments.solve, arguments.decks))
    if arguments.output:
        arguments.output.write_text(text)
    if arguments.check:
        changes = outcomes(text) ^ outcomes(arguments.check.read_text())
        for change in sorted(changes):
            print("changed:", *change)
        return 1 if changes else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
