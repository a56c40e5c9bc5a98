#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""public_names.py SOURCE DOXYGEN: the public names, as Doxygen finds them in the public headers, are those of
docs/public_names.txt. With --write the list is written."""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

KINDS = ("namespace", "class", "struct", "union", "concept")


def without_arguments(name):
    """A specialization has its template's name."""
    while "<" in name and "operator" not in name:
        shorter = re.sub(r"\s*<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    return name


def public_names(tags):
    names = set()
    for compound in xml.etree.ElementTree.parse(tags).getroot().findall("compound"):
        kind, name = compound.get("kind"), without_arguments(compound.findtext("name"))
        if kind not in KINDS or not re.match(r"tessera(::|$)", name):
            continue
        if kind != "namespace":
            names.add(name)
        for member in compound.findall("member"):
            own = without_arguments(member.findtext("name"))
            if member.get("protection") == "private" or own == name.rsplit("::", 1)[-1]:
                continue  # constructors and what deduces their arguments
            names.add(f"{name}::{own}")
            names.update(f"{name}::{own}::{value.text}" for value in member.findall("enumvalue"))
    return sorted(names)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    source, doxygen = pathlib.Path(arguments[0]).resolve(), arguments[1]
    with tempfile.TemporaryDirectory() as folder:
        settings = (f'@INCLUDE = "{source}/docs/Doxyfile"\nOUTPUT_DIRECTORY = "{folder}"\nGENERATE_HTML = NO\n'
                    f'GENERATE_TAGFILE = "{folder}/tags"\nEXTRACT_ALL = YES\n')
        (pathlib.Path(folder) / "Doxyfile").write_text(settings)
        subprocess.run([doxygen, f"{folder}/Doxyfile"], cwd=source, check=True)
        names = public_names(f"{folder}/tags")
    if len(names) < 1000:
        sys.exit(f"found too few names: {len(names)}")
    listed = source / "docs/public_names.txt"
    if "--write" in sys.argv:
        listed.write_text("\n".join(names) + "\n")
        return
    different = [line for line in difflib.unified_diff(listed.read_text().split("\n")[:-1], names, lineterm="", n=0)
                 if re.match(r"[-+](?![-+])", line)]
    if different:
        print("\n".join(different))
        sys.exit(f"Public names (+) differ from {listed} (-). Where one was renamed, keep the old one as an alias. Then write the\n"
                 f"list: {sys.argv[0]} SOURCE DOXYGEN --write, and say in CHANGELOG.md what changed.")


if __name__ == "__main__":
    main()
