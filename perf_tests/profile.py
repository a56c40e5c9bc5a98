#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Profiles the kernels of papers 2 and 5 on a device by NVIDIA's ncu: Table 4 and Figures 10 and 11 of paper 2, Figures 12 and
13 of paper 5, which the papers profiled and the drivers model.

profile.py BIN RESULTS [--ncu PROGRAM] [--meshes 4] [--problems C5,L5]    writes RESULTS/profile.json, which tools/papers.py reads
All meshes of the figures, the largest first, unless some are named; what is profiled is written mesh by mesh.
Needs Python's own library alone, and rights to read the device's counters.
"""

import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys

# strategy: a part of its kernels' names
PAPER2 = {"ElementLocal/paper2/separate": "AddColorThroughLocalMemory",
          "WarpPerElement/4/per_point/separate": "WarpPerElementAssembly",
          "WarpPerElement/8/per_point/separate": "WarpPerElementAssembly",
          "WarpPerElement/4/partial_parallel/separate": "WarpPerElementAssembly",
          "WarpPerElement/8/partial_parallel/separate": "WarpPerElementAssembly", "TwoKernels/paper2": "TwoKernelsAssembly"}
PAPER5 = {"NodeByNode": "RowGather", "DofByDof": "RowGather", "ElementByElement/dof/colors/separate": "RowThreads",
          "SymmetricElementByElement/nodes/colors/separate": "LanePerNode"}
MESHES2 = "4,3,2,1"
PROBLEMS5 = ",".join(f"{family}{size}" for size in range(5, 0, -1) for family in "CLH")

TIME, DRAM = "gpu__time_duration.sum", "dram__bytes.sum"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
LOCAL = "l1tex__t_sectors_pipe_lsu_mem_local_op_"  # + ld.sum, st.sum, ld_lookup_hit.sum, st_lookup_hit.sum
L1_TO_L2 = "lts__t_sectors_srcunit_tex.sum"
FLOPS = {f"smsp__sass_thread_inst_executed_op_{scalar}{op}_pred_on.sum": 2 if op == "fma" else 1
         for scalar in "fd" for op in ("add", "mul", "fma")}
METRICS = [TIME, DRAM, OCCUPANCY, L1_TO_L2, *FLOPS,
           *(LOCAL + end for end in ("ld.sum", "st.sum", "ld_lookup_hit.sum", "st_lookup_hit.sum"))]
LAUNCHES = 24  # three assemblies of at least eight colors: no more, for --only finds longer names as well


def parsed(text):
    """[{metric: value in base units}, ...], a dictionary for each launch, from ncu's CSV (--page raw --print-units base)."""
    start = text.find('"ID"')
    if start < 0:
        raise ValueError("ncu printed no table; its last words: " + text.strip()[-300:])
    lines = list(csv.reader(io.StringIO(text[start:])))
    header = lines[0]
    launches = []
    for line in lines[2:]:  # the second line has the units
        if len(line) == len(header):
            values = dict(zip(header, line))
            launches.append({m: float(values[m].replace(",", "")) for m in METRICS if values.get(m)})
    if not launches:
        raise ValueError("ncu profiled no kernel of the name asked for")
    return launches


def summed_up(launches):
    """What the papers print: rates over all launches, occupancy by time, the rest by sectors."""
    total = {m: sum(launch.get(m, 0) for launch in launches) for m in METRICS}
    local = {end: total[LOCAL + end] for end in ("ld.sum", "st.sum", "ld_lookup_hit.sum", "st_lookup_hit.sum")}
    touched = local["ld.sum"] + local["st.sum"]
    hits = local["ld_lookup_hit.sum"] + local["st_lookup_hit.sum"]
    through = local["ld.sum"] - local["ld_lookup_hit.sum"] + local["st.sum"]
    return {"launches": len(launches), "seconds": 1e-9 * total[TIME], "gb_per_s": total[DRAM] / total[TIME],
            "gflop_per_s": sum(total[m] * n for m, n in FLOPS.items()) / total[TIME],
            "occupancy": sum(launch[OCCUPANCY] * launch[TIME] for launch in launches) / total[TIME] / 100,
            "l1_hit_rate": 100 * hits / touched if touched else 0.0,
            "local_share": 100 * through / total[L1_TO_L2] if total[L1_TO_L2] else 0.0}


def commands(arguments):
    """(paper, mesh, strategy, command) of all that is profiled."""
    ncu = [arguments.ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(METRICS),
           "--launch-count", str(LAUNCHES), "--kernel-name-base", "demangled"]
    for mesh in filter(None, arguments.meshes.split(",")):
        for strategy, kernel in PAPER2.items():
            yield "2", mesh, strategy, ncu + ["--kernel-name", f"regex:{kernel}", str(arguments.bin / "tessera-paper2"),
                                              "--meshes", mesh, "--scalar", "float", "--numbering", "original",
                                              "--repetitions", "1", "--only", strategy]
    for problem in filter(None, arguments.problems.split(",")):
        for strategy, kernel in PAPER5.items():
            yield "5", problem, strategy, ncu + ["--kernel-name", f"regex:{kernel}", str(arguments.bin / "tessera-paper5"),
                                                 "--problems", problem, "--repetitions", "1", "--products", "1",
                                                 "--strategies", strategy]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--meshes", default=MESHES2, help="of paper 2, separated by commas; none if empty")
    parser.add_argument("--problems", default=PROBLEMS5, help="of paper 5")
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    rows = []
    for paper, mesh, strategy, command in commands(arguments):
        print(f"profiling {strategy} on {mesh}", file=sys.stderr)
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise ValueError(f"{' '.join(command)} ended with {run.returncode}: {(run.stdout + run.stderr).strip()[-300:]}")
        rows.append({"paper": paper, "mesh": mesh, "strategy": strategy} | summed_up(parsed(run.stdout)))
        (arguments.results / "profile.json").write_text(json.dumps({"results": rows}, indent=1) + "\n")
    if not rows:
        raise ValueError("--meshes and --problems name nothing to profile")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"profile.py: {error}")
