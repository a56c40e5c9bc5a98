#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# demo.sh BIN RESULTS: compares the strategies, solves a beam and a real part, and writes a report to RESULTS, in which
# what demo_comparisons.sh left there for other backends stands beside the serial one.
set -eu -o pipefail
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
bin=$1 results=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
step_file=/usr/share/doc/gmsh-doc/doc/gmsh/examples/boolean/component8.step.gz
mkdir -p "$results"
bin=$(cd "$bin" && pwd -P)
cd "$results"
launcher=$(realpath --relative-to="$PWD" "$source")/tessera

# What runs ends with this script.
guard=()
if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

run() { # run TOOL OPTIONS...: its output, with what it says of its progress in demo.log
  local tool=$1
  shift
  if ! "${guard[@]}" "$bin/tessera-$tool" "$@" 2>>demo.log; then
    tail -n 5 demo.log >&2
    return 1
  fi
}

compared() { # compared NAME: the part of the report with all backends' results
  local name=$1 options
  options=$(cat "$name.options")
  parts+=("compare:$(echo "$name".*.json | tr ' ' ','):$launcher compare $options
$launcher compare $options --backends openmp")
}

sweep() { # sweep NAME LARGEST OPTIONS...: cubes of 4, 8, 16 cells a side beside the comparison LARGEST
  local name=$1 largest=$2 size files=
  shift 2
  say "time against size: $*"
  for size in 4 8 16; do
    run compare --generate "box:$size" "$@" --json "$name$size.json" >"$name$size.txt"
    files+="$name$size.json,"
  done
  parts+=("sizes:$files$largest.json:for n in 4 8 16; do $launcher compare --generate box:\$n $* --json $name\$n.json; done")
}

# begin COMMAND...: runs it beside what follows, whose times are not compared; finish waits for it.
begin() {
  "$@" &
  begun=$!
}
finish() { wait "$begun"; }

solve() { # solve NAME HEADING CAPTION OPTIONS...
  local name=$1 heading=$2 caption=$3
  shift 3
  say "solving: $heading"
  set -- "$@" --output "$name.vtu" --picture "$name.png"
  echo "$launcher solve $*" >>"$name.txt"
  run solve "$@" >"$name.out"
  cat "$name.out"
  cat "$name.out" >>"$name.txt"
  parts+=("text:$name.txt:$heading" "picture:$name.png:$caption")
}

rm -f demo.log beam.txt nut.txt
parts=()
bash "$source/perf_tests/demo_comparisons.sh" "$bin" . serial
compared tetrahedra
sweep size tetrahedra.serial --element tet1 --form helmholtz --repetitions 5 --seconds 0.05 \
  --without NzShared/metis,NzGlobal/metis
compared cantilever

# A nut that nobody here drew: its thread holds, 100 MPa press on the bearing face. Millimetres and newtons.
say 'meshing component8.step into second-order tetrahedra'
gunzip -c "$step_file" >component8.step
mesh=(gmsh -3 -order 2 -setstring step "$PWD/component8.step" "$source/examples/geometries/component8.geo" -o nut.msh)
begin "${guard[@]}" "${mesh[@]}" >mesh.log 2>&1

# Steel cantilever 16 x 2 x 2 m of paper 2, 1 kN/m2 on its free end. Timoshenko's beam: PL3/3EI + PL/(kappa G A), with
# P = 4 kN, I = 4/3 m4, A = 4 m2, kappa = 5/6, G = E / 2.6.
solve beam 'Steel cantilever' 'The cantilever under the load on its free end, colored by displacement' \
  --generate box:64x8x8@16x2x2 --element tet2 --form elasticity --young 200e9 --poisson 0.3 --source 0 \
  --fix xmin=0,0,0 --load xmax=0,0,-1000 --unit m --solver multigrid
awk '/^component 2/ {found = -$4; exit} END {
  P = 4000; L = 16; E = 200e9; theory = P * L^3 / (3 * E * 4 / 3) + P * L / (5 / 6 * E / 2.6 * 4)
  printf "tip deflection %.6e m, beam theory %.6e m, difference %.2f %%\n", found, theory, 100 * (found / theory - 1)
}' beam.out | tee -a beam.txt

echo "gunzip -c $step_file >component8.step
$launcher shell serial ${mesh[*]}" >nut.txt
if ! finish; then
  tail -n 5 mesh.log >&2
  exit 1
fi
begin run draw --mesh nut.msh --element tet2 --back --output nut_sets.png
solve nut 'A nut under its bearing pressure' 'The nut, colored by displacement' --mesh nut.msh --element tet2 \
  --form elasticity --young 200e3 --poisson 0.3 --source 0 --fix thread=0,0,0 --pressure bearing=100 --unit mm --back --solver multigrid
finish
parts+=("picture:nut_sets.png:Its mesh and its sets: $launcher draw --mesh nut.msh --element tet2 --back --output nut_sets.png")

report() { # report OPTION FILE: in one of both formats
  "${guard[@]}" python3 "$source/tools/report.py" "$@" --title 'Tessera: assembly strategies compared' \
    --note "All commands are meant for the folder of this report." "${parts[@]}"
}
say 'writing the report'
begin report --markdown report.md
report --html report.html
finish
say "done: $results/report.html, report.md, beam.vtu, nut.vtu"
