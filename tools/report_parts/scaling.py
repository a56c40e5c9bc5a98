# SPDX-License-Identifier: BSD-3-Clause
"""Results of tessera-compare-mpi on a page: what ranks keep of one rank's rate."""

from report_parts import plots
from report_parts.results import read_json


def of_ranks(results):
    return [r for r in results if r["part"] == "ranks"]


def series(results, value):
    """{what: [(ranks, value), ...]} of what was measured on more than one number of ranks."""
    lines = {}
    for r in of_ranks(results):
        lines.setdefault(r["what"], []).append((r["ranks"], value(r)))
    return {what: points for what, points in lines.items() if len(points) > 1}


def summary(results):
    """Sentences on the largest number of ranks, and on what ghosts cost there."""
    most = max(r["ranks"] for r in results)
    kept = {r["what"]: r["kept"] for r in of_ranks(results) if r["ranks"] == most}
    both = [what for what in kept if what in series(results, lambda r: 0)]
    sentences = [f"On {most} ranks {what} keeps {kept[what]:.3f} of the rate of a rank." for what in both]
    alone = {r["what"]: r["seconds_median"] for r in results if r["part"] == "alone"}
    sentences += [f"{r['what']}: {100 * (r['seconds_median'] / alone[r['what']] - 1):.1f} % longer than the same block "
                  "without ghosts, on all ranks at once." for r in of_ranks(results)
                  if r["ranks"] == most and r["what"] in alone]
    return sentences or ["One number of ranks was measured: there is nothing to compare."]


def add(page, path, command):
    data = read_json(path)
    machine, results = data["machine"], data["results"]
    first = results[0]
    page.summed_up(f"{first['scaling']} scaling, {first['problem']}", summary(results))
    kept = series(results, lambda r: r["kept"])
    if kept:
        page.plot(plots.lines(kept, "ranks", "rate kept", log="x"), "Rate of a rank beside that on the fewest ranks")
        page.plot(plots.lines(series(results, lambda r: 1e3 * r["seconds_median"]), "ranks", "time [ms]"),
                  "Time of a call, the longest of the ranks")
    page.table(["part", "ranks", "what", "ms", "ns/element", "kept", "most elements", "most ghost elements",
                "most ghost nodes", "plan and system [MB]"],
               [[r["part"], str(r["ranks"]), r["what"], f"{1e3 * r['seconds_median']:.4g}", f"{r['ns_per_element']:.4g}",
                 f"{r['kept']:.3f}" if r["kept"] else "-", f"{r['elements_max']:,}", f"{r['ghost_elements_max']:,}",
                 f"{r['ghost_nodes_max']:,}", f"{1e-6 * r['bytes_max']:.4g}"] for r in results])
    page.fold("How to repeat it, and what ran where", lambda: page.code(command),
              lambda: page.paragraph(f"Tessera {machine['tessera_version']} ({machine['git_hash']}), Kokkos "
                                     f"{machine['kokkos_version']}, {machine['space']}."))
