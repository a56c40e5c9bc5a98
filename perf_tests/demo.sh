#!/bin/bash
# demo.sh BIN RESULTS: compares the strategies, solves a beam and a real part, and writes a report to RESULTS.
set -eu -o pipefail
bin=$1 results=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
step_file=/usr/share/doc/gmsh-doc/doc/gmsh/examples/boolean/component8.step.gz
mkdir -p "$results"
cd "$results"

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

compare() { # compare NAME OPTIONS...
  local name=$1
  shift
  say "comparing the strategies: $*"
  "$bin/tessera-compare" "$@" --json "$name.json" --csv "$name.csv" >"$name.txt" 2>>demo.log
  sed -n '1,/^$/p;/^\*/p' "$name.txt"
  parts+=("compare:$name.json:./tessera compare $*")
}

solve() { # solve NAME HEADING OPTIONS...
  local name=$1 heading=$2
  shift 2
  say "solving: $heading"
  { echo "./tessera solve $*" && "$bin/tessera-solve" "$@" --output "$name.vtu"; } >"$name.txt" 2>>demo.log
  tail -n +2 "$name.txt"
  parts+=("text:$name.txt:$heading")
}

: >demo.log
parts=()
compare tetrahedra --generate box:32 --element tet1 --form helmholtz --repeat 7 --seconds 1.5
compare cantilever --generate box:64x8x8@16x2x2 --element hex1 --form elasticity --repeat 7 --seconds 1.5

# Steel cantilever 16 x 2 x 2 m of paper 2, 1 kN/m2 on its free end. Timoshenko's beam: PL3/3EI + PL/(kappa G A), with
# P = 4 kN, I = 4/3 m4, A = 4 m2, kappa = 5/6, G = E / 2.6.
solve beam 'Steel cantilever' --generate box:128x16x16@16x2x2 --element hex1 --form elasticity --young 200e9 \
  --poisson 0.3 --source 0 --fix xmin=0,0,0 --load xmax=0,0,-1000
awk '/^component 2/ {found = -$4; exit} END {
  P = 4000; L = 16; E = 200e9; theory = P * L^3 / (3 * E * 4 / 3) + P * L / (5 / 6 * E / 2.6 * 4)
  printf "tip deflection %.6e m, beam theory %.6e m, difference %.2f %%\n", found, theory, 100 * (found / theory - 1)
}' beam.txt | tee -a beam.txt

# A nut that nobody here drew: its thread holds, 100 MPa press on the bearing face. Millimetres and newtons.
say 'meshing component8.step into second-order tetrahedra'
gunzip -c "$step_file" >component8.step
gmsh -3 -order 2 -setstring step "$PWD/component8.step" "$source/examples/geometries/component8.geo" -o nut.msh \
  >>demo.log 2>&1
solve nut 'A nut under its bearing pressure' --mesh nut.msh --element tet2 --form elasticity --young 200e3 \
  --poisson 0.3 --source 0 --fix thread=0,0,0 --pressure bearing=100

say 'writing the report'
python3 "$source/perf_tests/report.py" --output "$PWD" --title 'Tessera: assembly strategies compared' "${parts[@]}"
say "done: $results/report.html, report.md, beam.vtu, nut.vtu"
