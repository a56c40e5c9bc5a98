# SPDX-License-Identifier: BSD-3-Clause
"""Paper 4: Fu, Lewis, Kirby, Whitaker: patches, and multigrid on them."""

import statistics

from report_parts import plots
from report_parts.papers.items import Content, List, number, ratio, with_paper

item = List(4)
MESHES = "tessera-paper4 --meshes NAME=MESH,…"
HYPRE = "tessera-paper4; tessera-peer-hypre"
NO_MESHES = ("Heart and Brain are not published (organs of their sizes may stand for them), Irregular and Blobs are meshed by "
             "Gmsh; empty: the mesh was not given to this run.")


def meshes(run, paper):
    """{mesh: {solver: record}} of what has one material, in the paper's order."""
    found = {name: {} for name in paper["meshes"]}
    for r in run.rows("paper4", part="table"):
        if r["sigma"] == 1:
            found.setdefault(r["mesh"], {})[r["solver"]] = r
    return found


def first(solvers):
    return next(iter(solvers.values()), None)


def regular_nodes(run):
    return next((r["nodes"] for r in run.rows("paper4", part="table", mesh="Regular")), None)


def regular_by_hypre(run):
    """{file: records} of hypre on the regular meshes."""
    return {name: run.rows(name) for name in run.files if name.startswith("hypre.regular4") and run.rows(name)}


def hypre(run, mesh, sigma=1, plain=False):
    """hypre's record: with the paper's choices, or plain conjugate gradients."""
    rows = run.rows(f"hypre.{mesh}.{sigma}")
    if mesh == "Regular":
        rows = next((rows for rows in regular_by_hypre(run).values() if rows[0]["nodes"] == regular_nodes(run)), [])
    wanted = "plain CG" if plain else "PMIS"
    return next((r for r in rows if r["solver"].startswith("hypre") and wanted in r["solver"]), None)


def of(record, key, scale=1.0):
    return None if record is None or record.get(key) is None else scale * record[key]


def least(solvers, value):
    """(least value, its record) of the same multigrid without patches, relaxed by one, two or three steps of Jacobi."""
    found = [(value(r), r) for name, r in solvers.items() if name.startswith("Jacobi by rows") and value(r) is not None]
    return min(found, key=lambda pair: pair[0], default=(None, None))


def middle(solvers, name, key, scale=1.0):
    """The median over the records of the solvers whose names begin so: what they do alike was timed once for each."""
    found = [of(r, key, scale) for solver, r in solvers.items() if solver.startswith(name) and of(r, key) is not None]
    return statistics.median(found) if found else None


@item("Table 1", "meshes", "measured", MESHES)
def table1(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        r, p = first(solvers), paper["table1"].get(name, ["", "", "", "", ""])
        rows.append([name, with_paper(number(of(r, "nodes")), number(p[0])),
                     with_paper(number(of(r, "elements")), number(p[1])), with_paper(number(of(r, "least_valence")), p[2]),
                     with_paper(number(of(r, "largest_valence")), p[3]), with_paper(number(of(r, "entries", 1e-6)), p[4])])
    return Content("The paper's in parentheses. " + NO_MESHES).table(
        ["mesh", "nodes", "elements", "least valence", "largest valence", "nonzeros, millions"], rows)


@item("Table 2", "assembly in double precision", "measured", MESHES)
def table2(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        r, p = first(solvers), paper["table2"].get(name)
        if r is None and p is None:
            continue
        count = paper["table1"][name][1] if name in paper["table1"] else None
        rows.append([name] + ([number(1e9 * p[0] / count), number(1e9 * p[1] / count), p[2]] if p else ["", "", ""])
                    + [number(r and ratio(of(r, key, 1e9), r["elements"])) for key in
                       ("upper_half_seconds", "full_rows_seconds", "patch_seconds", "patch_quadrature_seconds",
                        "renumbered_seconds", "pairs_seconds", "atomic_seconds", "serial_seconds",
                        "serial_quadrature_seconds")]
                    + [number(r and ratio(r["serial_seconds"], r["upper_half_seconds"]))])
    return Content("Nanoseconds a tetrahedron. The paper assembles the upper half; full rows are made of it where a solver wants "
                   "them. It integrates elements by quadrature, ours are in closed form where a column does not say otherwise. "
                   "One core: element by element, as the paper's Algorithm 3.1. " + NO_MESHES).table(
        ["mesh", "the paper: GPU", "CPU", "speed-up", "ours: Patch, upper half", "full rows from it", "Patch",
         "Patch by quadrature", "renumbered", "Patch/pairs", "ElementAtomic", "ElementAtomic, one core",
         "one core by quadrature", "speed-up, upper half over one core"], rows)


@item("Partition", "one partition for assembly and solver", "measured", MESHES)
def partition(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        r = first(solvers)
        if r is not None and r["partition_seconds"] is not None:
            shared, own = of(r, "shared_total_seconds", 1e3), of(r, "own_total_seconds", 1e3)
            rows.append([name, f"{r.get('shared_lightest', '')} to {r['shared_patch']}", number(1e3 * r["partition_seconds"]),
                         number(of(solvers.get("patches"), "set_up_seconds", 1e3)),
                         number(of(r, "shared_set_up_seconds", 1e3)), number(own), number(shared), number(ratio(shared, own)),
                         number(of(r, "pairs_seconds", 1e3)), number(of(r, "shared_assembly_seconds", 1e3))])
    return Content("Section 5.2.1: a DoublePartition of the mesh serves Patch/pairs and PatchMultigrid, milliseconds. Its patches "
                   "have at most so many nodes as a team's scratch memory holds for the assembly, 400 if it can. Total: the "
                   "partition, the plan of the assembly and the set-up of the solver.").table(
        ["mesh", "nodes of a patch", "the partition", "set-up with one of its own", "set-up with this one",
         "total with one each", "total with this one", "over one each", "assembly with one of its own",
         "assembly with this one"], rows)


@item("Table 3", "set-up of multigrid", "measured", HYPRE)
def table3(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        p = paper["table3"].get(name, ["", "", "", "", ""])
        other, blocks = (of(r, "set_up_seconds", 1e3) for r in (hypre(run, name), solvers.get("Jacobi")))
        own, by_rows = (middle(solvers, s, "set_up_seconds", 1e3) for s in ("patches", "Jacobi by rows"))
        rows.append([name, *(number(v and 1e3 * v) for v in (p[0], p[1], p[3])), p[2], p[4], number(own), number(other),
                     number(blocks), number(by_rows), number(ratio(other, own)), number(ratio(by_rows, own))])
    return Content("Milliseconds. Patches: the median over their four kinds of blocks. Jacobi, blocks: patches with one inner "
                   "iteration. Jacobi, rows: aggregates without patches and plain CSR rows, which stands for CUSP-PCGAMG, the "
                   "median over one, two and three steps, whose set-up is the same. S1 over hypre (PMIS, hybrid Gauss-Seidel, one core), S2 over "
                   "Jacobi by rows or CUSP; the paper's in parentheses are slow-downs.").table(
        ["mesh", "the paper: patchPCGAMG", "hypre", "CUSP", "S1", "S2", "ours: patches", "hypre", "Jacobi, blocks",
         "Jacobi, rows", "S1", "S2"], rows)


@item("Table 4", "iterations with two materials", "measured", HYPRE)
def table4(run, paper):
    rows = []
    for sigma, p in paper["table4"].items():
        found = {r["solver"]: r for r in run.rows("paper4", part="table", mesh="Blobs", sigma=float(sigma))}
        counts = [of(found.get(s), "iterations") for s in ("patches", "Jacobi by rows, 1")]
        counts += [of(hypre(run, "Blobs", sigma), "iterations"), of(found.get("CG"), "iterations")]
        rows.append([f"(1, {sigma})"] + [with_paper(number(c), t) for c, t in zip(counts, p)])
    return Content("Blobs; the paper's in parentheses. " + NO_MESHES).table(
        ["sigma", "patches (patchPCGAMG)", "Jacobi (CUSP-PCGAMG)", "hypre", "CG"], rows)


@item("Table 5", "solution", "measured", HYPRE)
def table5(run, paper):
    published, rows = [], []
    for name, solvers in meshes(run, paper).items():
        p = paper["table5"].get(name)
        if p:
            published.append([name] + [f"{number(1e3 * p[k])} ({p[k + 1]})" for k in (0, 2)] + [p[4]]
                             + [f"{number(1e3 * p[5])} ({p[6]})", p[7]]
                             + [f"{number(1e3 * p[k])} ({p[k + 1]})" for k in (8, 10)] + [p[12]])
        _, by_rows = least(solvers, lambda r: of(r, "solve_seconds"))
        found = {"hypre": hypre(run, name), "by rows": by_rows, "hypre's CG": hypre(run, name, plain=True)} | {
            s: solvers.get(s) for s in ("patches", "Jacobi", "CG", "patches, CSR blocks", "patches, ELL blocks",
                                        "patches, double")}
        seconds = {s: of(r, "solve_seconds") for s, r in found.items()}
        cells = {s: f"{number(1e3 * t)} ({found[s]['iterations']})" if t else "" for s, t in seconds.items()}

        def times(over, under):
            return number(ratio(seconds[over], seconds[under]))

        rows.append([name, cells["patches"], cells["hypre"], times("hypre", "patches"), cells["Jacobi"], cells["by rows"],
                     by_rows["inner"] if by_rows else "", times("by rows", "patches"), cells["CG"], cells["hypre's CG"],
                     times("hypre's CG", "CG"), cells["patches, CSR blocks"], times("by rows", "patches, CSR blocks"),
                     cells["patches, ELL blocks"], cells["patches, double"]])
    header = ["mesh", "patchPCGAMG", "hypre", "S1", "CUSP-PCGAMG", "S2", "CUSP-CG", "hypre's CG", "S3"]
    return Content("Milliseconds (iterations) to 1e-8. hypre with PMIS and hybrid Gauss-Seidel on one core. Jacobi, blocks: "
                   "patches with one inner iteration. Jacobi, rows: the same multigrid without patches, with one, two or three "
                   "steps, the fastest of the three; S2 is over it.").table(
        ["the paper: " + header[0]] + header[1:], published).table(
        ["ours: mesh", "patches", "hypre", "S1", "Jacobi, blocks", "Jacobi, rows", "its steps", "S2", "CG", "hypre's CG", "S3",
         "CSR blocks", "S2 of these", "ELL blocks", "double throughout"], rows)


@item("Table 6", "one iteration", "measured", HYPRE)
def table6(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        p = paper["table6"].get(name, ["", "", "", "", ""])

        def each(r):
            return ratio(of(r, "solve_seconds", 1e3), of(r, "iterations"))

        own, other, blocks = each(solvers.get("patches")), each(hypre(run, name)), each(solvers.get("Jacobi"))
        by_rows, _ = least(solvers, each)
        rows.append([name, p[0], p[1], p[2], p[3], p[4], number(own), number(other), number(ratio(other, own)), number(blocks),
                     number(by_rows), number(ratio(by_rows, own)), number(each(solvers.get("patches, CSR blocks")))])
    return Content("Milliseconds; the paper's in parentheses are slow-downs. Jacobi as in Table 5, by rows with the fewest.").table(
        ["mesh", "the paper: patchPCGAMG", "hypre", "S1", "CUSP", "S2", "ours: patches", "hypre", "S1", "Jacobi, blocks",
         "Jacobi, rows", "S2", "CSR blocks"], rows)


@item("Memory", "of the hierarchy, section 5.3", "measured", MESHES)
def memory(run, paper):
    names = ["patches", "patches, double", "patches, CSR blocks", "patches, ELL blocks", "Jacobi by rows, 1"]
    rows = []
    for name, solvers in meshes(run, paper).items():
        r = first(solvers)
        if r is not None:
            whole = 12 * r["entries"] + 8 * r["nodes"]
            mixed, full = (of(solvers.get(s), "bytes") for s in names[:2])
            staged = [(solvers.get(s) or {}).get("blocks_in_scratch", []) for s in names[:4]]
            rows.append([name] + [number(of(solvers.get(s), "bytes", 1e-6)) for s in names]
                        + [number(1e-6 * whole), number(ratio(mixed and mixed + whole, full)),
                           f"{', '.join(str(sum(levels)) for levels in staged)} of {len(staged[0])}"])
    return Content("Megabytes. The paper keeps a copy of the finest matrix in double precision beside the levels in single, "
                   "1.41 times the memory of double throughout without that copy; mixed over double: the same ratio of ours. Last "
                   "column: levels whose blocks lie in scratch memory, in the order of the first four, of those that have "
                   "patches.").table(
        ["mesh"] + names + ["the assembled matrix", "mixed with the matrix over double without", "blocks in scratch"], rows)


@item("Figure 6", "iterations as the mesh is refined", "measured", HYPRE)
def figure6(run, paper):
    rows = run.rows("paper4", part="series")
    solvers = ("patches", "Jacobi by rows, 1", "CG")
    sizes = sorted({r["nodes"] for r in rows})
    counts = {(r["solver"], r["nodes"]): r["iterations"] for r in rows}
    for rows in regular_by_hypre(run).values():
        counts |= {("hypre", r["nodes"]): r["iterations"] for r in rows if "PMIS" in r["solver"]}
    solvers += ("hypre",)
    content = Content("The regular mesh, halved again and again; Jacobi by rows, one step, stands for CUSP-PCGAMG.").paper(paper["figure6"])
    content.table(["nodes", *solvers], [[f"{n:,}"] + [number(counts.get((s, n))) for s in solvers] for n in sizes])
    lines = {s: [(n, counts[s, n]) for n in sizes if (s, n) in counts] for s in solvers}
    return content.plot(plots.lines({s: p for s, p in lines.items() if p}, "nodes", "iterations"),
                        "Iterations against the size of the mesh")


@item("Figure 7", "iterations by inner iterations", "measured", MESHES)
def figure7(run, paper):
    rows = run.rows("paper4", part="inner")
    inner = sorted({r["inner"] for r in rows})
    names = list(dict.fromkeys(r["mesh"] for r in rows))
    counts = {(r["mesh"], r["inner"]): r["iterations"] for r in rows}
    content = Content(NO_MESHES).paper(paper["figure7"]).table(
        ["mesh"] + [f"{k} inner" for k in inner], [[name] + [counts.get((name, k), "") for k in inner] for name in names])
    return content.plot(plots.lines({name: [(k, counts[name, k]) for k in inner if (name, k) in counts] for name in names},
                                    "inner iterations", "iterations", ""), "Iterations against inner iterations")
