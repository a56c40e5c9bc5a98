# SPDX-License-Identifier: BSD-3-Clause
"""Paper 3: Knepley, Rupp, Terrel: thread transposition."""

from report_parts import plots
from report_parts.papers.items import Content, List, number, with_paper

item = List(3)
ALL = "tessera-paper3"


def gflops(r):
    return 1e-9 * r["flops"] / r["seconds"] if r["seconds"] else None


def model(run, figures):
    return [r for r in run.rows("paper3", part="model") if r["problem"].startswith("Figure") == figures]


@item("Figure 3.1", "a cell block, with Figure 3.3", "computed", "tessera-paper3 --parts model")
def figure31(run, _):
    return Content("The figures draw these numbers for N_b = 3 and N_q = 2: one component and one block (3.1), two components "
                   "and two blocks (3.3).").table(
        ["", "cells of a block N_bs", "cells of a batch N_bc", "threads N_t", "cells in turn at a point N_sqc",
         "cells in turn for a function N_sbc"],
        [[r["problem"], r["block_cells"], number(r["cells"]), r["threads"], r["serial_quadrature_cells"],
          r["serial_basis_cells"]] for r in model(run, True)])


@item("Figure 3.2", "chunks, batches, blocks", "a drawing without numbers", "tessera-paper3 --parts table")
def figure32(*_):
    return Content("Chunks of batches of blocks: ThreadTransposition's options batches and blocks, which Table 6.2 varies. "
                   "Remainder cells make a shorter batch on the device, where the paper leaves them to the processor.")


@item("Section 3.3", "the model, equations (3.1) to (3.7)", "computed", "tessera-paper3 --parts model")
def section33(run, paper):
    return Content("Single precision, 32 blocks; N_sqc = N_q, without which (3.1) falls short where N_b and N_q have a common "
                   "factor. Work groups: of 48 KB of scratch memory, 1536 threads and 16 groups.").paper(
        paper["section3.3"]).table(
        ["", "threads", "scratch, bytes (3.1)", "bytes a cell (3.4)", "flops a cell (3.5)", "balance (3.6)", "work groups"],
        [[r["problem"], r["threads"], number(r["scratch_bytes"]), number(r["paper_bytes"] / r["cells"]),
          number(r["flops"] / r["cells"], 4), f"{r['balance']:.3f}", r["groups"]] for r in model(run, False)])


@item("Scratch", "equations (3.2) and (3.3), and the kernel's own bytes", "computed", "tessera-paper3 --parts model")
def scratch(run, _):
    return Content("Bytes of scratch memory. The last line of (3.2) is no bound where N_b and N_q have a common factor. Kernel: of a "
                   "team, beside (3.1); its number depends on the device where there is one point.").table(
        ["", "of a cell (3.2), first line", "(3.2), last line", "(3.3)", "of a team (3.1)", "of the kernel"],
        [[r["problem"], number(r["scratch_of_cell"], 4), number(r["scratch_of_cell_bound"], 4),
          number(r["scratch_of_cell_without_f0"], 4), number(r["scratch_bytes"]), number(r["kernel_scratch_bytes"] or None)]
         for r in model(run, False)])


@item("Table 6.1", "hardware", "measured for ours", ALL)
def table61(run, paper):
    published, machine = paper["table6.1"], run.machine()
    name = run.parts.get("device") if machine.get("space") not in ("Serial", "OpenMP") else run.parts.get("processor")
    ours = {"peak bandwidth, GB/s": number(1e-9 * machine.get("copy_bytes_per_s", 0)) + " (copy, measured)",
            "peak GFLOP/s, double": number(1e-9 * machine.get("flops_per_s", 0)) + " (measured)"}
    return Content("Theoretical peaks of the paper's devices; what the backend of this run reaches.").table(
        ["", *published["columns"], name or "this machine"],
        [[key, *values, ours.get(key, "")] for key, values in published.items() if key != "columns"])


@item("Table 6.2", "blocks and batches, 2D Poisson", "measured", "tessera-paper3 --parts table")
def table62(run, paper):
    published = paper["table6.2"]
    content = Content("GFLOP/s by the paper's count, the paper's in parentheses; it does not name the device.")
    for scalar in ("float", "double"):
        ours = {(r["blocks"], r["batches"]): gflops(r) for r in run.rows("paper3", part="table", scalar=scalar)}
        content.table([f"{scalar}: blocks"] + [f"{n} batches" for n in published["batches"]],
                      [[blocks] + [with_paper(number(ours.get((blocks, batches))), theirs)
                                   for batches, theirs in zip(published["batches"], line)]
                       for blocks, line in zip(published["blocks"], published[scalar])])
    return content


def predicted(r, run):
    """The paper's prediction, (3.6) times the bandwidth, GFLOP/s."""
    return 1e-9 * r["flops"] / r["paper_bytes"] * run.machine()["copy_bytes_per_s"] if r["paper_bytes"] else None


def rows_of(run, problem):
    return [r for part in ("triangles", "tetrahedra") for r in run.rows("paper3", part=part)
            if r["problem"].startswith(problem)]


def line(r, run):
    name = [r["element"], r["points"], r["scalar"], r["coefficient"], r["strategy"], f"{r['cells']:,.0f}"]
    if r["unsupported"]:
        return name + ["refused: " + r["unsupported"], "", "", "", ""]
    bound = r["bytes"] / run.machine()["copy_bytes_per_s"]
    return name + [number(1e9 * r["seconds"] / r["cells"]), number(gflops(r)), number(predicted(r, run)),
                   f"{100 * (gflops(r) / predicted(r, run) - 1):+.0f} %", f"{100 * bound / r['seconds']:.0f} %"]


HEADER = ["element", "points", "numbers", "coefficient", "strategy", "cells", "ns a cell", "GFLOP/s", "by (3.6)", "deviation",
          "of the copy's bandwidth"]
WHY = ("By (3.6): the paper's prediction, its balance times the measured copy bandwidth. It counts geometry once for each "
       "component and (d + 1) N_q numbers where the element vector's N_bt are written, so that vector forms may exceed it "
       "by as much as (3.4) exceeds the compulsory bytes (elasticity of linear elements: 1.65 times in 2D, 2.3 in 3D). A row "
       "far below it is bound by something else than memory traffic. Last column: share of the copy's bandwidth that the "
       "compulsory bytes reach.")


def published(paper, figure):
    numbers = paper[figure]
    keys = list(numbers["abstract"])
    return (["GFLOP/s on a GTX 580, by the paper's"] + keys,
            [[where] + [numbers[where][key] for key in keys] for where in ("abstract", "section 6")])


def figure(run, paper, name, problem):
    rows = rows_of(run, problem)
    content = Content(WHY).table(*published(paper, name))
    content.table(["problem"] + HEADER, [[r["problem"]] + line(r, run) for r in rows])
    ours = [r for r in rows if r["strategy"] == "ThreadTransposition" and r["coefficient"] == "constant" and r["seconds"]
            and r["problem"] == problem]
    bars = {"measured": {}, "by (3.6)": {}}
    for r in ours:
        group = f"{r['element']}, {r['points']} points, {r['scalar']}, {r['cells']:,.0f}"
        bars["measured"][group], bars["by (3.6)"][group] = gflops(r), predicted(r, run)
    return content.plot(plots.grouped_bars(bars, "GFLOP/s by the paper's count"),
                        f"{problem} by thread transposition, constant coefficients")


@item("Figure 6.1", "Poisson", "measured", "tessera-paper3 --parts triangles,tetrahedra")
def figure61(run, paper):
    content = figure(run, paper, "figure6.1", "Poisson")
    content.notes.insert(0, "The abstract's numbers are of variable coefficients, section 6 prints f1 of constant ones; rows: "
                            "constant, by cell (P0), nodal. The bars of the other devices cannot be read off the figure.")
    return content.paper(paper["figure6.1"]["devices"])


@item("Figure 6.2", "elasticity", "measured", "tessera-paper3 --parts triangles,tetrahedra")
def figure62(run, paper):
    content = figure(run, paper, "figure6.2", "elasticity")
    content.notes.insert(0, "The paper's f1 is the symmetric gradient (its 2D listing is in the rows so named), ours Hooke's law.")
    return content


@item("Summary", "thread transposition on linear elements with one point", "measured",
      "tessera-paper3 --parts triangles,tetrahedra")
def summary(run, paper):
    lines = {}
    for figure_name, problem in (("figure6.1", "Poisson"), ("figure6.2", "elasticity")):
        for r in rows_of(run, problem):
            if r["problem"] == problem and r["points"] == 1 and r["strategy"] == "ThreadTransposition" and r["seconds"]:
                dimension = "2D" if r["element"].startswith("tri") else "3D"
                theirs = [paper[figure_name][where][f"{dimension} {r['scalar']}"] for where in ("abstract", "section 6")]
                key = (problem, dimension, r["scalar"], r["coefficient"])  # the large mesh comes last
                lines[key] = [*key, *theirs, number(gflops(r)), number(predicted(r, run)),
                              f"{100 * (gflops(r) / predicted(r, run) - 1):+.0f} %",
                              f"{100 * r['bytes'] / run.machine()['copy_bytes_per_s'] / r['seconds']:.0f} %"]
    return Content("GFLOP/s by the paper's count, on the large mesh. " + WHY).table(
        ["problem", "", "numbers", "coefficient", "GTX 580, abstract", "section 6", "ours", "by (3.6)", "deviation",
         "of the copy's bandwidth"], list(lines.values()))


@item("Beyond", "Figures 6.1 and 6.2 on the small mesh and above order 1", "measured",
      "tessera-paper3 --parts triangles,tetrahedra")
def beyond(run, _):
    """What the summary leaves out of thread transposition, but for P1 with more points, which Competitors has."""
    rows = [r for problem in ("Poisson", "elasticity") for r in rows_of(run, problem)
            if r["strategy"] == "ThreadTransposition" and (r["element"][-1] == "1") == (r["points"] == 1)]
    most = max((r["cells"] for r in rows), default=0)
    cases = {}
    for r in rows:
        if r["element"][-1] != "1" or r["cells"] < most / 2 or r["problem"] not in ("Poisson", "elasticity"):
            key = (r["problem"], r["coefficient"], r["element"], f"{r['cells']:,.0f}")
            cases.setdefault(key, {})[r["scalar"]] = r

    def cell(r, value):
        return "" if r is None else value(r) if r["seconds"] else "refused"

    copy = run.machine().get("copy_bytes_per_s")
    columns = [lambda r: number(gflops(r)), lambda r: number(predicted(r, run)),
               lambda r: f"{100 * r['bytes'] / copy / r['seconds']:.0f} %"]
    return Content("Thread transposition, GFLOP/s by the paper's count, in float and double. " + WHY).table(
        ["problem", "coefficient", "element", "cells"] + [f"{scalar}: {what}" for scalar in ("float", "double") for what in
                                                          ("GFLOP/s", "by (3.6)", "of the copy's bandwidth")],
        [list(key) + [cell(by.get(scalar), column) for scalar in ("float", "double") for column in columns]
         for key, by in cases.items()])


@item("Competitors", "what sections 1 and 2 set it against", "measured",
      "tessera-paper3 --parts triangles,tetrahedra")
def competitors(run, _):
    rows = [r for problem in ("Poisson", "elasticity") for r in rows_of(run, problem)]
    cases, strategies = {}, list(dict.fromkeys(r["strategy"] for r in rows))
    for r in rows:
        case = cases.setdefault((r["problem"], r["element"], r["points"], r["coefficient"]), {})
        case.setdefault(r["strategy"], {})[r["scalar"]] = (number(1e9 * r["seconds"] / r["cells"]) if r["seconds"]
                                                           else "refused")
    return Content("Nanoseconds a cell, float; double. Of two meshes the larger one.").table(
        ["problem", "element", "points", "coefficient"] + strategies,
        [list(case) + ["; ".join(cells.get(s, {}).values()) for s in strategies] for case, cells in cases.items()
         if len(cells) > 1])


@item("Whole", "from nodal vector to nodal vector, ours", "measured", "tessera-paper3 --parts whole")
def whole(run, _):
    rows = run.rows("paper3", part="whole")
    return Content(f"{rows[0]['cells']:,.0f} linear tetrahedra, double precision." if rows else "").table(
        ["problem", "coefficient", "strategy", "ns a cell", "GDOF/s"],
        [[r["problem"], r["coefficient"], r["strategy"], number(1e9 * r["seconds"] / r["cells"]),
          number(1e-9 * r["nodes"] / r["seconds"])] for r in rows])


@item("Numbering", "a mesh of foreign numbers, and along the Hilbert curve", "measured", "tessera-paper3 --mesh FILE")
def numbering(run, _):
    """Section 6 blames the loads of coefficients that are "stored in an unstructured way"."""
    rows = run.rows("paper3", part="mesh")
    cases = {}
    for r in rows:
        cases.setdefault((r["scalar"], r["coefficient"], r["strategy"]), {})[r["numbering"]] = r["seconds"] / r["cells"]
    about = f"{rows[0]['cells']:,.0f} cells, {rows[0]['element']}. " if rows else ""
    return Content(about + "Nanoseconds a cell. In the paper's arrays u lies by cell, an auxiliary field by cell or by node; from "
                   "nodal vectors u and coordinates are read by the mesh's numbers.").table(
        ["Poisson, numbers", "coefficient", "strategy", "as numbered", "Hilbert curve", "as numbered over the curve"],
        [[*case, number(1e9 * by["given"]), number(1e9 * by["hilbert"]), number(by["given"] / by["hilbert"])]
         for case, by in cases.items()])
