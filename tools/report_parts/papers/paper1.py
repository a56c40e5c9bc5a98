# SPDX-License-Identifier: BSD-3-Clause
"""Paper 1: Cecka, Lew, Darve."""

from report_parts import plots
from report_parts.papers.items import Content, List, number, pivot, ratio, series, with_paper

item = List(1)
# What the names say, in words.
ROWS = ("As in the paper: blocks by METIS (/metis), a launch for each color (/separate, and all of ElementShared and ElementGlobal). "
        "Else blocks along the Hilbert curve and colors in one CUDA graph where there is one.")


def ns(r):
    return r["ns_per_element"] or None


def cell(r, value):
    return "refused" if r["unsupported"] else value


def order(r):
    return f"order {r['order']}"


@item("Table IV", "numbers an element reads and writes", "computed", "tessera-paper1 --parts table4")
def table4(run, paper):
    rows = []
    for r in run.rows("paper1", part="table4"):
        published = paper["table4"][r["strategy"].lower()]
        rows.append([r["strategy"], with_paper(r["nodes"], published[0]), with_paper(r["nodal_numbers"], published[1]),
                     r["coordinate_numbers"], with_paper(r["element_numbers"], published[2]),
                     with_paper(r["symmetric_numbers"], published[3])])
    return Content("The paper's in parentheses. A linear problem reads coordinates alone.").table(
        ["element", "nodes", "nodal data with one field", "coordinates", "element data", "where it is symmetric"], rows)


@item("Table V", "limiting resources", "modelled", "tessera-paper1 --parts figure13")
def table5(run, paper):
    machine = run.machine()

    def resources(r):
        memory = r["model_bytes"] / machine["copy_bytes_per_s"]
        flops = r["model_flops"] / machine["flops_per_s"]
        times = r["seconds_median"] / max(memory, flops)
        space = r["plan_bytes"] / r["elements"]
        return cell(r, f"{r['model_bytes'] / r['elements']:,.0f} B / {r['model_flops'] / r['elements']:,.0f} F; "
                       f"{space:,.0f} + {r['scratch_bytes_per_element']:,.0f}; {times:.1f} {'m' if memory > flops else 'f'}")

    rows = [r for r in run.rows("paper1", part="figure13", kernel="heat") if r["model_bytes"]]
    header, lines = pivot(rows, order, resources)
    return Content("An element's bytes and flops by the strategy's cost model; space: bytes of the plan in device memory + "
                   "bytes of its data in scratch memory; measured time over the model's, with the model's limit "
                   "(m: memory traffic, f: flops).").table(
        header[:1] + ["the paper: limited by"] + header[1:],
        [[line[0], paper["table5"].get(line[0].split("/")[0], "")] + line[1:] for line in lines])


@item("Table VI", "error of single precision", "measured", "tessera-paper1 --parts table6")
def table6(run, paper):
    rows = run.rows("paper1", part="table6")
    published = list(zip(sorted({r["nodes"] for r in rows}), paper["table6"]["nodes"], paper["table6"]["error"]))
    header, lines = pivot(rows, lambda r: f"{r['nodes']:,} nodes", lambda r: f"{r['error']:.1e}")
    return Content("Mean relative error against the serial reference in double precision. The paper does not say how its "
                   "mesh is distorted: the size is no reproduction, the growth with 1/h and that all methods agree is.").table(
        header, [["the paper: nodes"] + [f"{nodes:,}" for _, nodes, _ in published],
                 ["the paper: error of all methods"] + [f"{error:.1e}" for *_, error in published]] + lines if rows else [])


@item("Figure 3", "time against the number of colors", "measured", "tessera-paper1 --parts figure3")
def figure3(run, paper):
    rows = run.rows("paper1", part="figure3")
    fewest = {r["strategy"]: r["seconds_median"] for r in rows if not r["colors"]}

    def times(r):
        return ratio(r["seconds_median"], fewest.get(r["strategy"]))

    content = Content(f"Triangles: {rows[0]['elements']:,}. Nanoseconds an element, in parentheses over the fewest colors'."
                      if rows else "").paper(paper["figure3"])
    content.table(*pivot(rows, lambda r: r["colors"] or "fewest", lambda r: with_paper(number(ns(r)), number(times(r)))))
    points = series([r for r in rows if r["colors"]], lambda r: r["colors"], times)
    return content.plot(plots.lines(points, "least number of colors", "time over that of the fewest colors", "x"),
                        "Time of ElementLocal against the number of colors") if points else content


@item("Figure 12", "time against the size of the mesh", "measured", "tessera-paper1 --parts figure12")
def figure12(run, paper):
    rows = run.rows("paper1", part="figure12")
    content = Content("Nanoseconds an element, linear triangles, double precision (the paper's devices: single). " + ROWS)
    content.paper(paper["figure12"]).table(*pivot(rows, lambda r: f"{r['nodes']:,} nodes", lambda r: cell(r, number(ns(r)))))
    return content.plot(plots.lines(series(rows, lambda r: r["nodes"], ns), "nodes", "time per element [ns]"),
                        "Time against the size of the mesh")


def speed_up(rows):
    serial = {r["order"]: ns(r) for r in rows if r["strategy"] == "Serial"}
    return lambda r: cell(r, with_paper(number(ns(r)), number(ratio(serial.get(r["order"]), ns(r)))))


@item("Figure 13", "time against the order of the elements", "measured", "tessera-paper1 --parts figure13")
def figure13(run, paper):
    rows = run.rows("paper1", part="figure13", kernel="heat")
    content = Content("Nanoseconds an element, in parentheses the speed-up over the serial reference on one core of this "
                      "machine (Algorithm 1). " + ROWS).paper(paper["figure13"])
    content.table(*pivot(rows, order, speed_up(rows)))
    return content.plot(plots.lines(series(rows, lambda r: r["order"], ns), "order", "time per element [ns]", "y"),
                        "Figure 13a: time against the order")


@item("Figure 13c", "what a dummy element kernel gains, with Figure 13b", "measured", "tessera-paper1 --parts figure13")
def figure13c(run, paper):
    rows = run.rows("paper1", part="figure13", kernel="trivial")
    real = {(r["strategy"], r["order"]): ns(r) for r in run.rows("paper1", part="figure13", kernel="heat")}

    def gain(r):
        return ratio(real.get((r["strategy"], r["order"])), ns(r))

    content = Content("Nanoseconds an element with the dummy kernel (Figure 13b), in parentheses the speed-up by it "
                      "(Figure 13c).").paper(paper["figure13c"])
    content.table(*pivot(rows, order, lambda r: cell(r, with_paper(number(ns(r)), number(gain(r))))))
    content.plot(plots.lines(series(rows, lambda r: r["order"], ns), "order", "time per element [ns]", "y"),
                 "Figure 13b: time with the dummy kernel")
    return content.plot(plots.lines(series(rows, lambda r: r["order"], gain), "order", "speed-up", ""),
                        "Figure 13c: speed-up by the dummy kernel")


@item("Figure 14", "the same on a second device: the element stage's share", "measured, on one device",
      "tessera-paper1 --parts figure13")
def figure14(run, paper):
    rows = [r for r in run.rows("paper1", part="figure13", kernel="heat") if r["element_seconds"]]
    content = Content("The paper repeats Figure 13 on a Tesla C1060 and marks the element stage. A run has one device, which "
                      "Figure 13 is of; here is the element stage's share of the time.").paper(paper["figure14"])
    return content.table(*pivot(rows, order, lambda r: f"{100 * r['element_seconds'] / r['seconds_median']:.0f} %"))


@item("Plans", "what a plan takes, beside the paper", "measured", "tessera-paper1 --parts plans")
def plans(run, _):
    rows = run.rows("paper1", part="plans")
    return Content(f"{rows[0]['elements']:,} triangles, one plan of each strategy." if rows else "").table(
        ["strategy", "s", "s of processor time", "bytes an element"],
        [[r["strategy"], number(r["plan_seconds"]), number(r["plan_cpu_seconds"]),
          number(r["plan_bytes"] / r["elements"])] for r in rows])
