# SPDX-License-Identifier: BSD-3-Clause
"""Paper 5: Kiran, Gautam, Sharma: matrix-free operators."""

from report_parts import plots
from report_parts.papers.items import Content, List, number, one_by_one, pivot, ratio, series

item = List(5)
# The paper's own: a thread for a degree of freedom (EbE), a thread for a node (EbE_sym), both with colors.
PAPERS = {"NbN": "NodeByNode", "DbD": "DofByDof", "EbE": "ElementByElement/dof/colors",
          "EbE_sym": "SymmetricElementByElement/nodes/colors"}
FULL = "tessera-paper5"
LAUNCHES = "Names with /separate: a launch for each color, as the paper's; other colors: one CUDA graph."


def family(r):
    return r["problem"].split("=")[0]


def problems(run, letter):
    return [r for r in run.rows("paper5") if family(r)[0] == letter]


def papers_rows(names):
    """{the paper's name: row} of its operators as it launches them."""
    return {label: one_by_one(name, names) for label, name in PAPERS.items()}


def ordered(rows):
    """The paper's operators first."""
    papers = papers_rows({r["strategy"] for r in rows})
    labels = {name: label for label, name in papers.items()}
    place = list(labels)
    chosen = sorted(rows, key=lambda r: place.index(r["strategy"]) if r["strategy"] in place else len(place))
    return [r | {"strategy": f"{r['strategy']} ({labels[r['strategy']]})"} if r["strategy"] in labels else r for r in chosen]


def meshes(run, paper, table, letter):
    ours = {}
    for r in problems(run, letter):
        ours[r["problem"]] = [r["elements"], r["nodes"], r["equations"]]
    names = list(dict.fromkeys(list(paper[table]) + list(ours)))
    rows = [[name] + [number(n) for n in paper[table].get(name, ["", "", ""])]
            + [number(n) for n in ours.get(name, ["", "", ""])] for name in names]
    return ["mesh", "the paper: elements", "nodes", "degrees of freedom", "ours: elements", "nodes", "equations"], rows


@item("Table 1", "meshes of the cantilever", "measured", FULL)
def table1(run, paper):
    return Content("The paper's C5 has 50 nodes more than 5001 x 501. C1/4: a fourth of the squares along each edge. Ours counts "
                   "equations without the constrained ones.").table(*meshes(run, paper, "table1", "C"))


@item("Table 2", "meshes of the L-shaped beam", "measured", FULL)
def table2(run, paper):
    return Content("The sides follow from the paper's numbers; its figure with dimensions and supports is not in our copy.").table(
        *meshes(run, paper, "table2", "L"))


@item("Table 3", "meshes of the plate", "measured", "tessera-paper5 --problems H1=FILE,…")
def table3(run, paper):
    return Content("The paper gives no nodes. A square plate with as many squares, or a mesh of a plate with holes from a file: the paper's figure is not in "
                   "our copy.").table(*meshes(run, paper, "table3", "H"))


# Beside the paper's: the same with colors as one CUDA graph, the assembled matrix, and ours that are fastest.
SHOWN = ["ElementByElement/dof/colors", "SymmetricElementByElement/nodes/colors", "assembled, Tessera", "ElementByElement",
         "SymmetricElementByElement", "RecomputingElementByElement"]


def all_meshes(run, value, content, unit, log="xy"):
    """A table of all meshes, and a plot for each of the three problems."""
    rows = [r for r in ordered(run.rows("paper5")) if r["strategy"].endswith(tuple(f"({label})" for label in PAPERS))
            or r["strategy"] in SHOWN]
    content.table(*pivot(rows, lambda r: r["problem"], lambda r: number(value(r)), "operator"))
    for letter, title in (("C", "cantilever"), ("L", "L-shaped beam"), ("H", "plate")):
        of = [r for r in rows if family(r)[0] == letter]
        if of:
            content.plot(plots.lines(series(of, lambda r: r["elements"], value), "elements", unit, log), f"{title}: {unit}")
        else:
            content.notes.append(f"No mesh of the {title} in this run.")
    return content


@item("Figure 9", "time of a product", "measured", FULL)
def figure9(run, paper):
    return all_meshes(run, lambda r: 1e3 * r["seconds_median"], Content(f"Milliseconds of a product. {LAUNCHES}").paper(
        paper["figure9"]), "ms")


@item("Largest", "Figure 9 on the largest meshes", "measured", FULL)
def largest(run, paper):
    rows = []
    for letter in "CLH":
        most = max((r["elements"] for r in problems(run, letter)), default=0)
        rows += [r for r in problems(run, letter) if r["elements"] == most]
    return Content(f"Nanoseconds an element and product. {LAUNCHES}").table(
        *pivot(ordered(rows), lambda r: f"{r['problem']}, {r['elements']:,}", lambda r: number(r["ns_per_element"]), "operator"))


@item("Figure 10", "speed-up of the symmetric half", "measured", FULL)
def figure10(run, paper):
    content = Content("Over the paper's own kernel, a lane for a node and colors: like for like with its numbers. Then over our "
                      "fastest variant of the symmetric half.")
    published = paper["figure10"]
    times = {}
    for r in run.rows("paper5"):
        times.setdefault((r["problem"], r["form"]), {})[r["strategy"]] = r["seconds_median"]
    rows = []
    for (problem, form), of in times.items():
        if form not in published:
            continue
        fastest = min((t for name, t in of.items() if name.startswith("Symmetric") and "float" not in name), default=None)
        papers = papers_rows(of)
        own = of.get(papers["EbE_sym"])
        rows.append([problem] + [number(published[form][k]) for k in ("NbN", "DbD", "EbE")]
                    + [number(ratio(of.get(papers[k]), own)) for k in ("NbN", "DbD", "EbE")]
                    + [number(ratio(of.get("ElementByElement"), fastest)), number(ratio(own, fastest))])
    content.table(["mesh", "the paper, at most: NbN", "DbD", "EbE", "ours, like for like: NbN", "DbD", "EbE",
                   "fastest half: over EbE with atomics", "over EbE_sym"], rows)
    bars = {k: {row[0]: float(row[4 + i]) for row in rows if row[4 + i]} for i, k in enumerate(("NbN", "DbD", "EbE"))}
    bars = {k: values for k, values in bars.items() if values}
    return content.plot(plots.grouped_bars(bars, "time over EbE_sym's"), "Speed-up of EbE_sym") if bars else content


@item("Figure 11", "memory", "measured", FULL)
def figure11(run, paper):
    def megabytes(r):
        return 1e-6 * (r["operator_bytes"] + r["mesh_bytes"])

    content = all_meshes(run, megabytes, Content("Megabytes of operator and mesh; the paper counts the whole program's."), "MB")
    (header, lines), rows = content.tables[0], run.rows("paper5")
    memory = {(r["strategy"], r["problem"]): megabytes(r) for r in rows}
    papers = papers_rows({r["strategy"] for r in rows})
    forms = {r["problem"]: paper["figure11"].get(r["form"], {}) for r in rows}
    lines.append(["EbE over EbE_sym"] + [number(ratio(memory.get((papers["EbE"], p)), memory.get((papers["EbE_sym"], p))))
                                         for p in header[1:]])
    lines.append(["– the paper"] + [number(forms[p].get("EbE")) for p in header[1:]])
    return content


def rate(run, paper, figure, model, unit, profile):
    content = Content("By each operator's cost model in the measured time; the paper profiled.").paper(paper[figure])
    profiled = run.rows("profile", paper="5")
    if profiled:
        content.table(*pivot(ordered(profiled), lambda r: f"{r['mesh']}, profiled", lambda r: number(r[profile]), "operator"))
    return all_meshes(run, lambda r: 1e-9 * r[model] / r["seconds_median"], content, unit)


@item("Figure 12", "GFLOP/s", "modelled; profiled where ncu is", "tessera-paper5; perf_tests/profile.py BIN RESULTS")
def figure12(run, paper):
    return rate(run, paper, "figure12", "model_flops", "GFLOP/s", "gflop_per_s")


@item("Figure 13", "bandwidth", "modelled; profiled where ncu is", "tessera-paper5; perf_tests/profile.py BIN RESULTS")
def figure13(run, paper):
    return rate(run, paper, "figure13", "model_bytes", "GB/s", "gb_per_s")
