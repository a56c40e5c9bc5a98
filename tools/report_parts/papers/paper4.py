"""Paper 4: Fu, Lewis, Kirby, Whitaker: patches, and multigrid on them."""

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
                       ("upper_half_seconds", "full_rows_seconds", "patch_seconds", "renumbered_seconds", "pairs_seconds",
                        "atomic_seconds", "serial_seconds")]
                    + [number(r and ratio(r["serial_seconds"], r["upper_half_seconds"]))])
    return Content("Nanoseconds a tetrahedron. The paper assembles the upper half; full rows are made of it where a solver wants "
                   "them. " + NO_MESHES).table(
        ["mesh", "the paper: GPU", "CPU", "speed-up", "ours: Patch, upper half", "full rows from it", "Patch", "renumbered",
         "Patch/pairs", "ElementAtomic", "ElementAtomic, one core", "speed-up, upper half over one core"], rows)


@item("Partition", "one partition for assembly and solver", "measured", MESHES)
def partition(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        r = first(solvers)
        if r is not None and r["partition_seconds"] is not None:
            own = solvers.get("patches")
            rows.append([name, r["shared_patch"], number(1e3 * r["partition_seconds"]), number(of(own, "set_up_seconds", 1e3)),
                         number(of(r, "shared_set_up_seconds", 1e3)), number(of(r, "pairs_seconds", 1e3)),
                         number(of(r, "shared_assembly_seconds", 1e3))])
    return Content("Section 5.2.1: a DoublePartition of the mesh serves Patch/pairs and PatchMultigrid, milliseconds. Its patches "
                   "have at most so many nodes as a team's scratch memory holds for the assembly, 400 if it can.").table(
        ["mesh", "nodes of a patch", "the partition", "set-up with one of its own", "set-up with this one",
         "assembly with one of its own", "assembly with this one"], rows)


@item("Table 3", "set-up of multigrid", "measured", HYPRE)
def table3(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        p = paper["table3"].get(name, ["", "", "", "", ""])
        own, jacobi, other = (of(r, "set_up_seconds", 1e3) for r in (solvers.get("patches"), solvers.get("Jacobi"),
                                                                     hypre(run, name)))
        rows.append([name, *(number(v and 1e3 * v) for v in (p[0], p[1], p[3])), p[2], p[4], number(own), number(other),
                     number(jacobi), number(ratio(other, own)), number(ratio(jacobi, own))])
    return Content("Milliseconds. Jacobi: our levels with one inner iteration, which stands for CUSP-PCGAMG. S1 over hypre (PMIS, "
                   "hybrid Gauss-Seidel, one core), S2 over Jacobi or CUSP; the paper's in parentheses are slow-downs.").table(
        ["mesh", "the paper: patchPCGAMG", "hypre", "CUSP", "S1", "S2", "ours: patches", "hypre", "Jacobi", "S1", "S2"], rows)


@item("Table 4", "iterations with two materials", "measured", HYPRE)
def table4(run, paper):
    rows = []
    for sigma, p in paper["table4"].items():
        found = {r["solver"]: r for r in run.rows("paper4", part="table", mesh="Blobs", sigma=float(sigma))}
        counts = [of(found.get(s), "iterations") for s in ("patches", "Jacobi")]
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
        found = [solvers.get("patches"), hypre(run, name), solvers.get("Jacobi"), solvers.get("CG"),
                 hypre(run, name, plain=True), *(solvers.get(s) for s in ("patches, CSR blocks", "patches, ELL blocks",
                                                                          "patches, double"))]
        seconds = [of(r, "solve_seconds") for r in found]
        cells = [f"{number(1e3 * s)} ({r['iterations']})" if s else "" for s, r in zip(seconds, found)]
        rows.append([name, cells[0], cells[1], number(ratio(seconds[1], seconds[0])), cells[2],
                     number(ratio(seconds[2], seconds[0])), cells[3], cells[4], number(ratio(seconds[4], seconds[3])),
                     *cells[5:]])
    header = ["mesh", "patchPCGAMG", "hypre", "S1", "CUSP-PCGAMG", "S2", "CUSP-CG", "hypre's CG", "S3"]
    return Content("Milliseconds (iterations) to 1e-8. hypre with PMIS and hybrid Gauss-Seidel on one core.").table(
        ["the paper: " + header[0]] + header[1:], published).table(
        ["ours: mesh", "patches", "hypre", "S1", "Jacobi", "S2", "CG", "hypre's CG", "S3", "CSR blocks", "ELL blocks",
         "double throughout"], rows)


@item("Table 6", "one iteration", "measured", HYPRE)
def table6(run, paper):
    rows = []
    for name, solvers in meshes(run, paper).items():
        p = paper["table6"].get(name, ["", "", "", "", ""])

        def each(r):
            return ratio(of(r, "solve_seconds", 1e3), of(r, "iterations"))

        own, other, jacobi = each(solvers.get("patches")), each(hypre(run, name)), each(solvers.get("Jacobi"))
        rows.append([name, p[0], p[1], p[2], p[3], p[4], number(own), number(other), number(ratio(other, own)), number(jacobi),
                     number(ratio(jacobi, own)), number(each(solvers.get("patches, CSR blocks")))])
    return Content("Milliseconds; the paper's in parentheses are slow-downs.").table(
        ["mesh", "the paper: patchPCGAMG", "hypre", "S1", "CUSP", "S2", "ours: patches", "hypre", "S1", "Jacobi", "S2",
         "CSR blocks"], rows)


@item("Memory", "of the hierarchy, section 5.3", "measured", MESHES)
def memory(run, paper):
    names = ["patches", "patches, double", "patches, CSR blocks", "patches, ELL blocks", "Jacobi"]
    rows = []
    for name, solvers in meshes(run, paper).items():
        r = first(solvers)
        if r is not None:
            whole = 12 * r["entries"] + 8 * r["nodes"]
            mixed, full = (of(solvers.get(s), "bytes") for s in names[:2])
            rows.append([name] + [number(of(solvers.get(s), "bytes", 1e-6)) for s in names]
                        + [number(1e-6 * whole), number(ratio(mixed and mixed + whole, full))])
    return Content("Megabytes. The paper keeps a copy of the finest matrix in double precision beside the levels in single, "
                   "1.41 times the memory of double throughout without that copy; last column: the same ratio of ours.").table(
        ["mesh"] + names + ["the assembled matrix", "mixed with the matrix over double without"], rows)


@item("Figure 6", "iterations as the mesh is refined", "measured", HYPRE)
def figure6(run, paper):
    rows = run.rows("paper4", part="series")
    solvers = ("patches", "Jacobi", "CG")
    sizes = sorted({r["nodes"] for r in rows})
    counts = {(r["solver"], r["nodes"]): r["iterations"] for r in rows}
    for rows in regular_by_hypre(run).values():
        counts |= {("hypre", r["nodes"]): r["iterations"] for r in rows if "PMIS" in r["solver"]}
    solvers += ("hypre",)
    content = Content("The regular mesh, halved again and again; Jacobi stands for CUSP-PCGAMG.").paper(paper["figure6"])
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
