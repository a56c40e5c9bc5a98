#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns results of tessera-compare (JSON), texts and pictures into one report: a self-contained HTML page, Markdown or both.

report.py [--html FILE] [--markdown FILE] [--title TITLE] [--note TEXT] PART...
A part is one of
  compare:FILE.json,FILE.json:COMMAND who wins, plots of the ten best, all strategies folded away, tables; files of one
                                    problem on several backends are shown side by side
  sizes:FILE.json,FILE.json:COMMAND time against size, from comparisons of meshes of several sizes
  scaling:FILE.json:COMMAND         what ranks keep of one rank's rate, from tessera-compare-mpi
  text:FILE:HEADING                 a text under a heading
  picture:FILE.png:CAPTION          a picture
COMMAND is what repeats the measurement. The page begins with a summary of all comparisons, as does the Markdown.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # the scripts' folder may be the source tree
try:
    from report_parts import plots, scaling
    from report_parts.page import Page
except ImportError as error:
    sys.exit(f"report.py needs matplotlib (Debian's python3-matplotlib): {error}")
from report_parts.results import (COLUMNS, SHOWN, backends_of, best, by_time, cell, comparison_summary, ran, read_json,
                                  sizes_summary)

GLOSSARY = [
    ("plan", "what a strategy prepares once a mesh: its seconds and its memory"),
    ("median, ns/element", "time of one run, and that of one element"),
    ("GB/s, GFLOP/s, % of copy", "traffic and flops by the strategy's cost model in that time, and the traffic beside a "
                                 "plain copy's on this machine"),
    ("x model", "time beside what the strategy's own cost model allows on this machine: 1 is perfect"),
    ("x bound", "time beside what any strategy needs at least: data read and written once, flops of one integration"),
    ("error", "the largest difference from the oracle, relative to the sum of absolute terms"),
    ("repeats", "bitwise: the same bits in every run; rounding: the order of additions varies"),
]


def what_ran(context):
    return (f"Tessera {context['tessera_version']} ({context['git_hash']}), Kokkos {context['kokkos_version']}, "
            f"compiler {context['compiler']}, {context.get('processor', 'processor not recorded')}, {context['date']}.")


class Report(Page):
    """What results of tessera-compare become on a page."""

    def glossary(self):
        for term, meaning in GLOSSARY:
            self.paragraph(f"{term}: {meaning}.")

    def comparison(self, paths, command):
        data = [read_json(path) for path in paths.split(",")]
        results = [r for d in data for r in d["results"]]
        context = {key: value for d in reversed(data) for key, value in d["context"].items()}
        first = results[0]
        for r in results:
            for key in ("form", "mesh", "element", "scalar", "elements", "unknowns"):
                if r[key] != first[key]:
                    raise ValueError(f"{paths}: not one problem, {key} is {first[key]} and {r[key]}")
        self.summed_up(f"{first['form']} on {first['mesh']}, {first['element']}, {first['scalar']}",
                       comparison_summary(results))
        self.paragraph(f"{first['elements']:,} elements, {first['unknowns']:,} unknowns, {first['nonzeros']:,} nonzeros.")
        if ran(results):
            self.plots(results, context)
            self.backends(results)
            self.fold(f"All measurements of {len(by_time(results))} strategies",
                      lambda: self.table([c[1] for c in COLUMNS],
                                         [[cell(r, key, pattern) for key, _, pattern in COLUMNS] for r in ran(results)]),
                      lambda: self.fold("What the columns say", self.glossary))
        for r in results:
            if r["unsupported"]:
                self.paragraph(f"{r['strategy']} on {r['backend']} did not run: {r['unsupported']}")
        self.how(command, data)

    def how(self, command, data):
        self.fold("How to repeat it, and what ran where", lambda: self.code(command),
                  *(lambda text=text: self.paragraph(text) for text in dict.fromkeys(what_ran(d["context"]) for d in data)))

    def plots(self, results, context):
        """The ten best, and all of them on request."""
        count = len(by_time(results))
        which = "each strategy" if count <= SHOWN else f"the {SHOWN} fastest of {count} strategies"
        self.plot(plots.bars(best(results)), f"Time per element of {which}, and the bound by compulsory traffic and flops")
        self.plot(plots.roofline(best(results), context), f"The measured ceilings of this machine, and {which} under them")
        if count > SHOWN:
            self.more_plots(f"Both plots of all {count} strategies",
                            [(plots.bars(results), f"Time per element of {count} strategies"),
                             (plots.roofline(results, context), f"{count} strategies under the measured ceilings")])

    def backends(self, results):
        """A strategy's times on all backends side by side, where there are several."""
        times = {(r["strategy"], r["backend"]): r["seconds_median"] for r in ran(results)}
        backends = backends_of(results)
        if len(backends) < 2:
            return
        first, *others = backends
        self.table(["strategy"] + [f"{b} [ms]" for b in backends] + [f"{first} / {b}" for b in others],
                   [[s] + [f"{1e3 * times[s, b]:.2f}" if (s, b) in times else "-" for b in backends]
                    + [f"{times[s, first] / times[s, b]:.2f}" if (s, b) in times and (s, first) in times else "-"
                       for b in others] for s in by_time(results)])

    def size_sweep(self, paths, command):
        data = [read_json(path) for path in paths.split(",")]
        comparisons = [d["results"] for d in data]
        first = comparisons[0][0]
        self.summed_up(f"Time against size: {first['form']}, {first['element']}, {first['scalar']}",
                       sizes_summary(comparisons))
        largest = max(comparisons, key=lambda results: results[0]["elements"])
        names = by_time(largest)
        few = [[r for r in results if r["strategy"] in names[:SHOWN]] for results in comparisons]
        which = "each strategy" if len(names) <= SHOWN else f"the {SHOWN} strategies that are fastest on the largest mesh"
        self.plot(plots.sizes(few), f"Time per element of {which} against the number of elements")
        if len(names) > SHOWN:
            self.more_plots(f"The plot of all {len(names)} strategies",
                            [(plots.sizes(comparisons), f"Time per element of {len(names)} strategies by size")])
        self.how(command, data[:1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path, help="pictures are written beside it")
    parser.add_argument("--title", default="Tessera")
    parser.add_argument("--note", help="a paragraph under the title")
    parser.add_argument("--check", action="store_true", help="only see whether all that it needs is there")
    parser.add_argument("parts", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        return
    report = Report(arguments.title, arguments.note)
    for part in arguments.parts:
        kind, path, text = part.split(":", 2)
        if kind == "compare":
            report.comparison(path, text)
        elif kind == "sizes":
            report.size_sweep(path, text)
        elif kind == "scaling":
            scaling.add(report, path, text)
        elif kind == "text":
            report.heading(text)
            report.code(pathlib.Path(path).read_text())
        elif kind == "picture":
            report.picture(pathlib.Path(path).read_bytes(), text)
        else:
            parser.error(f"unknown kind of part '{kind}'; there are compare, sizes, scaling, text, picture")
    if arguments.html:
        report.write_html(arguments.html)
    if arguments.markdown:
        report.write_markdown(arguments.markdown)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {error}")
