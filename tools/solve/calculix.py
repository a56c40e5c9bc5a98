#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs CalculiX's own test decks through tessera-solve and tabulates how far its answers are from theirs.

    calculix.py --solve build/serial/bin/tessera-solve --output docs/calculix.md   # and docs/calculix.csv
    calculix.py --solve build/serial/bin/tessera-solve --check docs/calculix.md    # exit status 1 where either differs
    calculix.py --page docs/calculix.md    # without decks: exit status 1 where the page is not made of the CSV file beside it
"""

import argparse
import collections
import csv
import io
import pathlib
import re
import subprocess
import sys

DECKS = pathlib.Path("/usr/share/doc/calculix-ccx-test/examples/test")

# Digits of the largest displacement: CalculiX prints seven in .dat and six in .frd files.
AGREES = 5.0

OUTCOMES = ("agrees", "differs", "solved", "refused")
OTHER = "other elements"

# Solids and plane elements that linear statics takes.
SOLIDS = {"C3D4", "C3D5", "C3D6", "C3D8", "C3D10", "C3D15", "C3D20", "C3D20R", "CPS3", "CPS4", "CPS6", "CPS8", "CPS8R",
          "CPE3", "CPE4", "CPE6", "CPE8", "CPE8R"}

# Beginnings of keywords, without spaces, that make a model nonlinear, or more than a solid.
NO_LINEAR_SOLID = ("CONTACT", "SURFACEINTERACTION", "SURFACEBEHAVIOR", "GAP", "SPRING", "DASHPOT", "PLASTIC",
                   "CYCLICHARDENING", "DEFORMATIONPLASTICITY", "CREEP", "USERMATERIAL", "HYPER", "MOHRCOULOMB", "CONCRETE",
                   "SHELLSECTION", "BEAMSECTION", "MEMBRANESECTION", "FLUID", "MATRIXASSEMBLE", "SUBSTRUCTURE", "MODELCHANGE")

# Beginnings of the keywords that say what a step solves.
PROCEDURES = ("STATIC", "FREQUENCY", "BUCKLE", "DYNAMIC", "HEATTRANSFER", "COUPLEDTEMPERATURE", "UNCOUPLEDTEMPERATURE",
              "MODALDYNAMIC", "STEADYSTATE", "VISCO", "ELECTROMAGNETICS", "COMPLEXFREQUENCY", "GREEN", "NOANALYSIS", "CFD",
              "SENSITIVITY", "ROBUSTDESIGN", "FEASIBLEDIRECTION", "CRACKPROPAGATION", "SUBSTRUCTURE")

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
that has none, its `.frd` file. Where it recorded no displacements, what follows of them is compared: forces at nodes,
stresses at integration points, strains at nodes, section forces, the strain energy that a sensitivity of the next step
is of. What stands below the first step, such as a step of frequencies, is not regarded. Digits are those of the largest
value to which all components agree; CalculiX prints seven in `.dat` and six in `.frd` files. A deck *agrees* from five on.

Strains at nodes and section forces are found as CalculiX finds them: values at two points an axis are extrapolated to
the corners with its factors, 2.549, -0.683, 0.183 and -0.04904, whose sum is 0.99996, so that `coupling6` bears a force of
7910.861 and records one of 7910.545.

CalculiX is known for integrating C3D8 with a mean volumetric strain (B-bar). These linear steps show nothing of it:
`beam8p` agrees in every printed digit with 2 x 2 x 2 points and full strains. C3D8I and C3D8R are other elements than
hex1, and are refused. C3D20R, CPS8R and CPE8R are integrated with two Gauss points an axis, C3D6 at two points and C3D15
at nine, as CalculiX does it. A deck may have elements of several types, of one order: C3D8, C3D6 and C3D4; C3D20 or
C3D20R, C3D15 and C3D10; CPS4 and CPS3 or CPE4 and CPE3; CPS8, CPS8R and CPS6 or CPE8, CPE8R and CPE6.
Elements that name a node twice, as a C3D8 that is a wedge, are refused by name.

A deck may have

| of | keywords |
|---|---|
| elements | `*NODE`, `*NGEN`, `*ELEMENT`, `*ELGEN`, sets, surfaces, `*PART`, `*INSTANCE`, `*SOLID SECTION` by set |
| materials | `*ELASTIC` isotropic, in solids dependent on the temperature; `ORTHO`, `ENGINEERING CONSTANTS` and `ANISOTROPIC`, along axes of `*ORIENTATION` (rectangular) and `*DISTRIBUTION`; `*DENSITY`; `*EXPANSION`, `ISO` and `ORTHO`, constant or dependent on the temperature |
| supports | `*BOUNDARY`, along axes of `*TRANSFORM` |
| equations | `*EQUATION`, `*TIE`, with `CYCLIC SYMMETRY` where nodes meet, `*COUPLING` with `*KINEMATIC` or `*DISTRIBUTING`, the latter with `CYCLIC SYMMETRY`, too, `*RIGID BODY` with `REF NODE` and `ROT NODE`, `*PRE-TENSION SECTION` with `SURFACE` and a direction |
| loads | `*CLOAD`; `*DLOAD` with `P1` to `P6`, `GRAV`, `CENTRIF`; `*DSLOAD` with `P`; `*INITIAL CONDITIONS, TYPE=TEMPERATURE` and `*TEMPERATURE`, with `LINTEMP`, too; `*AMPLITUDE` at the end of the step |
| steps | several `*STEP` with `*STATIC`, whose loads and supports replace earlier ones or, with `OP=NEW`, end them |

All else is refused with its line, unless it asks for output only. So is `*MPC`: with its `BEAM` as linear equations `beammpc`
agreed to 2.4 digits only.
"""


def references_of(deck):
    """The deck's files that may record something of its first step, those with displacements first."""
    files = [(deck.with_suffix(suffix), mark) for suffix, mark in
             ((".dat.ref", "displacements (vx,vy,vz)"), (".frd.ref", " -4  DISP"))]
    files = [(path, mark in path.read_text(errors="replace")) for path, mark in files if path.exists()]
    return [path for path, _ in sorted(files, key=lambda file: not file[1]) if path.stat().st_size > 0]


def compared(output):
    """The quantities of a run that were compared, and the digits, or None: "7.3 digits of forces at 5 of 5 places"."""
    lines = re.findall(r"^reference: (?:([\w ]+) at )?(\d+) of (\d+) (\w+),.* ([\d.]+|-?inf) digits", output, re.M)
    return [(name, f"{float(digits):.1f} digits {f'of {name} ' if name else ''}at {found} of {known} {places}")
            for name, found, known, places, digits in lines]


def run(solve, deck):
    """Outcome, elements and detail of a deck."""
    command = [solve, "--deck", str(deck), "--steps", "1", "--tolerance", "1e-10"]
    for reference in [*references_of(deck), None]:
        compare = ["--reference", str(reference), "--digits", str(AGREES)] if reference else []
        result = subprocess.run(command + compare, capture_output=True, text=True, timeout=600)
        if result.returncode != 2 or "has no displacements of a first step" not in result.stderr:
            break
    if result.returncode == 2:
        message = result.stderr.strip().splitlines()[-1]
        message = message.replace("tessera-solve: ", "").replace(str(deck.parent) + "/", "")
        return "refused", "", message
    differs = result.returncode == 1 and f"NOT the {AGREES:.1f} asked for" in result.stdout
    unsure = result.returncode == 3  # of the displacements: of the stresses more digits may be right
    if result.returncode != 0 and not differs and not (unsure and reference):
        raise SystemExit(f"{deck.name}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    elements = re.search(r", (\d.*? as \w+):", result.stdout).group(1)
    if not reference:
        return "solved", elements, "CalculiX recorded nothing of the first step that is compared"
    detail = ", ".join(text for _, text in compared(result.stdout)) + f" of `{reference.name}`"
    if unsure:
        detail += "; of the displacements fewer than two digits are sure"
    if not differs:
        return "agrees", elements, detail
    reasons = [REASONS[name] for name in [deck.stem, *re.findall(r"\d+ (\w+)", elements)] if name in REASONS]
    return "differs", elements, "; ".join([detail] + reasons)


def keywords(deck, depth=0):
    """The keywords of a deck and of what it includes, in capitals without spaces, with their parameters."""
    for line in deck.read_text(errors="replace").splitlines():
        if line.startswith("**") or not line.strip().startswith("*"):
            continue
        name, *parameters = [re.sub(r"\s", "", field).upper() for field in line.split(",")]
        if name == "*INCLUDE" and depth < 3:
            included = deck.parent / line.partition("=")[2].strip()
            if included.exists():
                yield from keywords(included, depth + 1)
        yield name[1:], parameters


def is_linear_static(deck):
    """Whether a deck is of solids or plane elements, with a first step that is linear and static."""
    elements, steps, procedure = set(), 0, ""
    for name, parameters in keywords(deck):
        if name == "ELEMENT":
            elements |= {parameter[5:] for parameter in parameters if parameter.startswith("TYPE=")}
        if name == "STEP":
            steps += 1
            if steps == 1 and any(text.startswith("NLGEOM") and text != "NLGEOM=NO" for text in parameters):
                return False
        if steps <= 1 and name.startswith(NO_LINEAR_SOLID):
            return False
        if steps == 1 and not procedure and name.startswith(PROCEDURES):
            procedure = name
    return bool(elements) and elements <= SOLIDS and procedure == "STATIC"


def table(solve, folder):
    """A row for each deck: its name, outcome, elements, whether it is linear static, detail."""
    rows = []
    for deck in sorted(folder.glob("*.inp")):
        outcome, elements, detail = run(solve, deck)
        other = re.search(r"element type '(\w+)'(?: \([\w ]+\))? is not supported|has no (\*ELEMENT|\*END PART)", detail)
        if other:
            outcome, elements, detail = OTHER, other.group(1) or "without " + other.group(2), ""
        rows.append((deck.stem, outcome, elements, "yes" if is_linear_static(deck) else "no", detail))
    return rows


def reason(detail):
    """Why a deck is refused, without what is its own: file, line, numbers and names."""
    detail = re.sub(r"^\S+: ", "", detail)
    unsupported = " is not supported in a linear static deck"
    if detail.startswith("*") and detail.endswith(unsupported):
        keyword, comma, parameter = detail.removesuffix(unsupported).partition(",")
        return f"`{keyword.upper()}{comma}{parameter}`"
    detail = re.sub(r"'[^']*'", "...", detail.partition(";")[0].partition(": ")[0])
    return re.sub(r"\b(element|node|lies) [\d.]+( \(nodes.*?\))?|\d+ (?=\w+ cells)",
                  lambda match: f"{match[1]} ..." if match[1] else "", detail)


def by_group(rows, group):
    """The names of rows by what `group` makes of each, the largest group first."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[group(row)].append(row[0])
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def quantities_of(detail):
    """What a deck was compared in, by the detail of its row."""
    return ", ".join(re.findall(r"digits of ([a-z ]+?) at", detail)) or "displacements"


def counted(rows):
    """"refused 30, solved 8" """
    counts = collections.Counter(row[1] for row in rows)
    return ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES)


def document(rows):
    of = {outcome: [row for row in rows if row[1] == outcome] for outcome in (*OUTCOMES, OTHER)}
    known = [row for row in rows if row[1] != OTHER]
    linear = [row for row in rows if row[3] == "yes"]
    agree = sum(row[1] == "agrees" for row in linear)
    foreign = collections.Counter(row[2] for row in of[OTHER])
    lines = [INTRODUCTION]
    lines.append(f"Of {len(linear)} decks that are linear static, {agree} agree ({100 * agree // len(linear)} %): "
                 f"{counted(linear)}. Those are the decks of solids and plane elements that linear statics takes whose first step "
                 "is `*STATIC` without `NLGEOM`, contact or a nonlinear material.\n")
    lines.append(f"Of all {len(rows)} decks {len(known)} are made of elements whose nodes Tessera knows: {counted(known)}. The "
                 f"other {len(of[OTHER])} are refused at the first element that it does not know: "
                 + ", ".join(f"{name} {count}" for name, count in sorted(foreign.items(), key=lambda item: (-item[1], item[0])))
                 + ". `docs/calculix.csv` has a row for each deck.\n")
    lines += ["| agree in | elements | decks |", "|---|---|---|"]
    lines += [f"| {quantities} | {types} | {', '.join(names)} |" for (quantities, types), names in
              by_group(of["agrees"], lambda row: (quantities_of(row[4]), re.sub(r"(^|, | and )\d+ ", r"\1", row[2])))]
    lines += ["", "| differ | elements | why |", "|---|---|---|"]
    lines += [f"| {name} | {types} | {detail} |" for name, _, types, _, detail in of["differs"]]
    lines += ["", "Solved, without anything of the first step to compare with: "
              + ", ".join(row[0] for row in of["solved"]) + "."]
    lines += ["", "| refused for | decks |", "|---|---|"]
    lines += [f"| {why.replace('|', chr(92) + '|')} | {len(names)} |" for why, names in
              by_group(of["refused"], lambda row: reason(row[4]))]
    return "\n".join(lines) + "\n"


def data(rows):
    """The rows as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("deck", "outcome", "elements", "linear static", "detail"))
    writer.writerows(sorted(rows, key=lambda row: ((*OUTCOMES, OTHER).index(row[1]), row[0])))
    return text.getvalue()


def outcomes(text):
    """Deck, outcome, elements, and whether it is linear static: what must not change; digits may in the last place."""
    return {tuple(row[:4]) for row in csv.reader(io.StringIO(text))}


def is_stale(page):
    """Whether a page is not what is made of the CSV file beside it, with a line that says so."""
    _, *rows = csv.reader(io.StringIO(page.with_suffix(".csv").read_text()))
    stale = document([tuple(row) for row in rows]) != page.read_text()
    if stale:
        print(f"{page} is not what this makes of the CSV file beside it")
    return stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solve", help="tessera-solve")
    parser.add_argument("--decks", type=pathlib.Path, default=DECKS, help="folder of the decks")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown file to write, and a CSV file beside it")
    parser.add_argument("--check", type=pathlib.Path, help="Markdown file; the outcomes are compared with the CSV file beside it")
    parser.add_argument("--page", type=pathlib.Path, help="Markdown file that is held against the CSV file beside it alone")
    arguments = parser.parse_args()
    if arguments.page:
        return 1 if is_stale(arguments.page) else 0
    if not arguments.solve:
        parser.error("give --solve, or --page")
    if not arguments.decks.is_dir():
        parser.error(f"{arguments.decks} is no folder; is calculix-ccx-test installed?")
    rows = table(arguments.solve, arguments.decks)
    if arguments.output:
        arguments.output.write_text(document(rows))
        arguments.output.with_suffix(".csv").write_text(data(rows))
    if arguments.check:
        changes = outcomes(data(rows)) ^ outcomes(arguments.check.with_suffix(".csv").read_text())
        for change in sorted(changes):
            print("changed:", *change)
        return 1 if is_stale(arguments.check) or changes else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
