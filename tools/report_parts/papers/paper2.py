# SPDX-License-Identifier: BSD-3-Clause
"""Paper 2: Kiran, Sharma, Gautam: a warp for an element."""

from report_parts import plots
from report_parts.papers.items import Content, List, number, one_by_one, pivot, ratio, series

item = List(2)

BASELINE = "ElementLocal/paper2"
PAPERS = {BASELINE: "by element, one thread", "WarpPerElement/4/per_point": "warp, 4 threads",
          "WarpPerElement/8/per_point": "warp, 8 threads", "WarpPerElement/4/partial_parallel": "PPNI, 4 threads",
          "WarpPerElement/8/partial_parallel": "PPNI, 8 threads", "TwoKernels/paper2": "two kernels"}
OURS = ["TwoKernels", "ElementLocal/separate", "ElementLocal", "ElementAtomic", "WarpPerElement/separate", "WarpPerElement",
        "WarpPerElement/atomics", "NzGlobal", "RowOwner"]
# Figure 13 shuffles numbers of nodes and elements where the paper has ANSYS' own.
FOREIGN = "shuffled"
LAUNCHES = "Names with /separate, and TwoKernels: a launch for each color, as the paper's; other colors: one CUDA graph."


def papers_rows(rows):
    """{strategy: the paper's name} of its strategies as it launches them."""
    names = {r["strategy"] for r in rows}
    return {one_by_one(name, names): label for name, label in PAPERS.items()}


def compared(run, **wanted):
    """The paper's strategies, then ours, then the paper's with one graph; without the options that stand beside them."""
    rows = run.rows("paper2", **wanted)
    papers = papers_rows(rows)
    order = list(papers) + OURS + [name for name in PAPERS if name not in papers]
    chosen = sorted((r for r in rows if r["strategy"] in order), key=lambda r: (order.index(r["strategy"]), r["elements"]))
    return [r | {"strategy": f"{r['strategy']} ({papers[r['strategy']]})" if r["strategy"] in papers else r["strategy"]}
            for r in chosen]


def mesh(r):
    return f"Mesh {r['mesh']}, {r['elements']:,}" if r["mesh"].isdigit() else f"{r['mesh']}, {r['elements']:,}"


def column(r):
    return f"{mesh(r)}, {r['scalar']}"


def milliseconds(r):
    return number(1e3 * r["seconds_median"])


def largest(run, scalar):
    rows = run.rows("paper2", scalar=scalar, numbering="original")
    return [r for r in rows if r["elements"] == max(r["elements"] for r in rows)]


@item("Table 1", "ways to the Jacobian, 4 threads per row", "measured")
def table1(run, paper):
    ways = {"shuffle": "", "scratch": ": Jacobian in scratch", "atomics": ": Jacobian by atomics"}
    times = {s: {r["strategy"]: r["seconds_median"] for r in largest(run, s)} for s in ("float", "double")}
    rows = []
    for variant, label in (("per_point", ""), ("partial_parallel", "PPNI, ")):
        for way, suffix in ways.items():
            seconds = paper["table1"][way] if not label else None
            rows.append([label + way, f"{seconds:.2f}" if seconds else "",
                         number(ratio(seconds, paper["table1"]["shuffle"])) if seconds else ""])
            for scalar in times:
                name = "WarpPerElement/4/" + variant
                shuffle = times[scalar].get(one_by_one(name, times[scalar]))
                of = times[scalar].get(name + suffix) if suffix else shuffle
                rows[-1] += [number(of and 1e3 * of), number(ratio(of, shuffle))]
    return Content("On the largest mesh of this run. Shuffles of width 8, as in Listing 1, where the device has them; elsewhere "
                   "Kokkos' reduction over a vector of lanes.").table(
        ["Jacobian by", "the paper, s", "to shuffle", "float, ms", "to shuffle", "double, ms", "to shuffle"], rows)


@item("Table 2", "geometry and material", "computed")
def table2(run, paper):
    keys = ("length", "breadth", "height", "young", "poisson")

    def line(name, of):
        return [name] + [number(1e-9 * of[key] if key == "young" else of[key]) for key in keys]

    ours = next((r for r in run.rows("paper2") if all(key in r for key in keys)), None)
    return Content("Ours as the driver had them.").table(
        ["", "length, m", "breadth, m", "height, m", "Young's modulus, GPa", "Poisson's ratio"],
        [line("the paper", paper["table2"]), line("ours", ours)] if ours else [])


@item("Table 3", "meshes", "measured", "tessera-paper2 --meshes 1,2,3,4")
def table3(run, paper):
    ours = {r["mesh"]: [r["elements"], r["nodes"], 3 * r["nodes"]] for r in run.rows("paper2")}
    names = list(dict.fromkeys(list(paper["table3"]) + list(ours)))
    rows = [[name] + [number(n) for n in paper["table3"].get(name, ["", "", ""])]
            + [number(n) for n in ours.get(name, ["", "", ""])] for name in names]
    return Content("The paper's degrees of freedom of Mesh 2 are not three times its nodes: printed as it prints them. Empty: not of "
                   "this run.").table(
        ["mesh", "the paper: elements", "nodes", "degrees of freedom", "ours: elements", "nodes", "degrees of freedom"], rows)


@item("Table 4", "occupancy, L1 hit rate, local memory", "profiled, on a device",
      "perf_tests/profile.py BIN RESULTS")
def table4(run, paper):
    largest_mesh = max((r["mesh"] for r in run.rows("profile", paper="2")), default=None)
    profiled = {r["strategy"]: r for r in run.rows("profile", paper="2", mesh=largest_mesh)}
    rows = []
    for name, (occupancy, hits, local) in paper["table4"].items():
        r = profiled.get(one_by_one(name, profiled), {})
        rows.append([PAPERS[name], occupancy, number(r.get("occupancy")), f"{hits} %", number(r.get("l1_hit_rate")),
                     f"{local} %", number(r.get("local_share"))])
    note = "" if profiled else "Ours needs a profiler on a device, which this run did not have."
    return Content(note).table(["strategy", "occupancy, the paper", "ours", "L1 hit rate of local memory, the paper",
                                "L1 hit rate, ours, %", "local memory in L1-L2 traffic, the paper", "ours, %"], rows)


def rate(run, paper, figure, what, unit, model, profile):
    rows = compared(run, numbering="original")
    content = Content(f"{what} by each strategy's cost model in the measured time, {unit}; the paper profiled. {LAUNCHES}")
    content.paper(paper[figure]).table(*pivot(rows, column, lambda r: number(1e-9 * r[model] / r["seconds_median"])))
    profiled = run.rows("profile", paper="2")
    if profiled:
        content.notes.append("Second table: profiled, single precision.")
        content.table(*pivot(profiled, lambda r: f"Mesh {r['mesh']}, float, profiled", lambda r: number(r[profile])))
    single = [r for r in rows if r["scalar"] == "float"]
    return content.plot(plots.lines(series(single, lambda r: r["elements"], lambda r: 1e-9 * r[model] / r["seconds_median"]),
                                    "elements", unit), f"{what} by the cost models, single precision")


@item("Figure 10", "arithmetic throughput", "modelled; profiled where ncu is", "tessera-paper2; perf_tests/profile.py BIN RESULTS")
def figure10(run, paper):
    return rate(run, paper, "figure10", "Flops", "GFLOP/s", "model_flops", "gflop_per_s")


@item("Figure 11", "bandwidth", "modelled; profiled where ncu is", "tessera-paper2; perf_tests/profile.py BIN RESULTS")
def figure11(run, paper):
    return rate(run, paper, "figure11", "Bytes", "GB/s", "model_bytes", "gb_per_s")


def times(run, numbering, content):
    rows = compared(run, numbering=numbering)
    content.table(*pivot(rows, column, milliseconds))
    single = [r for r in rows if r["scalar"] == "float"]
    return content.plot(plots.lines(series(single, lambda r: r["elements"], lambda r: 1e3 * r["seconds_median"]), "elements",
                                    "time [ms]"), "Time of an assembly, single precision")


@item("Figure 12", "time on the box's meshes", "measured", "tessera-paper2 --numbering original")
def figure12(run, paper):
    return times(run, "original", Content(f"Milliseconds of an assembly. {LAUNCHES}").paper(paper["figure12"]))


@item("Figure 13", "time on meshes of foreign numbering", "measured", "tessera-paper2 --numbering shuffled")
def figure13(run, paper):
    return times(run, FOREIGN, Content(f"Milliseconds of an assembly. {LAUNCHES} ANSYS' numbers are not published: nodes and elements are "
                                       "shuffled, which no mesh generator does.").paper(paper["figure13"]))


@item("Figure 14", "speed-up over a thread for an element", "measured", "tessera-paper2 --numbering original")
def figure14(run, paper):
    rows = compared(run, numbering="original")
    labels = papers_rows(run.rows("paper2", numbering="original"))
    published = {f"{name} ({label})": paper["figure14"].get(base, "") for (name, label), base in zip(labels.items(), PAPERS)}
    header, lines = pivot(rows, column, lambda r: number(r["paper_ratio"]))
    content = Content(f"Over {BASELINE}, which has the paper's choices of memory; the paper's are in single precision. {LAUNCHES}")
    content.table(header[:1] + ["the paper"] + header[1:], [[line[0], published.get(line[0], "")] + line[1:] for line in lines])
    bars = {}
    for r in rows:
        if r["scalar"] == "float":
            bars.setdefault(mesh(r), {})[r["strategy"]] = r["paper_ratio"]
    return content.plot(plots.grouped_bars(bars, "speed-up"), "Speed-up in single precision")
