"""Paper 5: Kiran, Gautam, Sharma: matrix-free operators."""

from report_parts import plots
from report_parts.papers.items import Content, List, number, pivot, ratio, series

item = List(5)
# The paper's own: a thread for a degree of freedom (EbE), a thread for a node (EbE_sym), both with colors.
PAPERS = {"NbN": "NodeByNode", "DbD": "DofByDof", "EbE": "ElementByElement/dof/colors",
          "EbE_sym": "SymmetricElementByElement/nodes/colors"}
FULL = "tessera-paper5"


def family(r):
    return r["problem"].split("=")[0]


def problems(run, letter):
    return [r for r in run.rows("paper5") if family(r)[0] == letter]


def named(r):
    label = next((label for label, name in PAPERS.items() if name == r["strategy"]), None)
    return f"{r['strategy']} ({label})" if label else r["strategy"]


def ordered(rows):
    """The paper's operators first."""
    place = list(PAPERS.values())
    chosen = sorted(rows, key=lambda r: place.index(r["strategy"]) if r["strategy"] in place else len(place))
    return [r | {"strategy": named(r)} for r in chosen]


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
    return Content("A square plate with as many squares, or a mesh of a plate with holes from a file: the paper's figure is not in "
                   "our copy.").table(*meshes(run, paper, "table3", "H"))


def three(run, value, content, unit, log="xy"):
    """A table and a plot for each of the three problems."""
    for letter, title in (("C", "cantilever"), ("L", "L-shaped beam"), ("H", "plate")):
        rows = ordered(problems(run, letter))
        if not rows:
            content.notes.append(f"No mesh of the {title} in this run.")
            continue
        content.table(*pivot(rows, lambda r: f"{r['problem']}, {r['elements']:,}", lambda r: number(value(r)),
                             f"{title}: operator"))
        papers = [r for r in rows if "(" in r["strategy"] or r["strategy"] == "RecomputingElementByElement"]
        content.plot(plots.lines(series(papers, lambda r: r["elements"], value), "elements", unit, log), f"{title}: {unit}")
    return content


@item("Figure 9", "time of a product", "measured", FULL)
def figure9(run, paper):
    return three(run, lambda r: r["ns_per_element"], Content("Nanoseconds an element and product (the paper: milliseconds a "
                                                             "product).").paper(paper["figure9"]), "ns an element")


@item("Largest", "Figure 9 on the largest meshes", "measured", FULL)
def largest(run, paper):
    rows = []
    for letter in "CLH":
        most = max((r["elements"] for r in problems(run, letter)), default=0)
        rows += [r for r in problems(run, letter) if r["elements"] == most]
    return Content("Nanoseconds an element and product.").table(
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
        own = of.get(PAPERS["EbE_sym"])
        rows.append([problem] + [number(published[form][k]) for k in ("NbN", "DbD", "EbE")]
                    + [number(ratio(of.get(PAPERS[k]), own)) for k in ("NbN", "DbD", "EbE")]
                    + [number(ratio(of.get("ElementByElement"), fastest)), number(ratio(own, fastest))])
    content.table(["mesh", "the paper, at most: NbN", "DbD", "EbE", "ours, like for like: NbN", "DbD", "EbE",
                   "fastest half: over EbE with atomics", "over EbE_sym"], rows)
    bars = {k: {row[0]: float(row[4 + i]) for row in rows if row[4 + i]} for i, k in enumerate(("NbN", "DbD", "EbE"))}
    bars = {k: values for k, values in bars.items() if values}
    return content.plot(plots.grouped_bars(bars, "time over EbE_sym's"), "Speed-up of EbE_sym") if bars else content


@item("Figure 11", "memory", "measured", FULL)
def figure11(run, paper):
    content = Content("Megabytes of operator and mesh; the paper counts the whole program's.").paper(
        [f"{form}: EbE takes {values['EbE']} times EbE_sym's memory." for form, values in paper["figure11"].items()])
    return three(run, lambda r: 1e-6 * (r["operator_bytes"] + r["mesh_bytes"]), content, "MB")


def rate(run, paper, figure, model, unit, profile):
    content = Content("By each operator's cost model in the measured time; the paper profiled.").paper(paper[figure])
    profiled = run.rows("profile", paper="5")
    if profiled:
        content.table(["operator", f"profiled, {unit}"], [[named(r), number(r[profile])] for r in profiled])
    return three(run, lambda r: 1e-9 * r[model] / r["seconds_median"], content, unit)


@item("Figure 12", "GFLOP/s", "modelled; profiled where ncu is", "tessera-paper5; perf_tests/profile.py BIN RESULTS")
def figure12(run, paper):
    return rate(run, paper, "figure12", "model_flops", "GFLOP/s", "gflop_per_s")


@item("Figure 13", "bandwidth", "modelled; profiled where ncu is", "tessera-paper5; perf_tests/profile.py BIN RESULTS")
def figure13(run, paper):
    return rate(run, paper, "figure13", "model_bytes", "GB/s", "gb_per_s")
