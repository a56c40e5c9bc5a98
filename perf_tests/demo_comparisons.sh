#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# demo_comparisons.sh BIN RESULTS BACKEND: what the demo compares, on one backend; demo.sh puts the backends side by side.
# Writes RESULTS/NAME.BACKEND.json, and the options that it took to RESULTS/NAME.options.
set -eu -o pipefail
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
bin=$(cd "$1" && pwd -P) backend=$3
mkdir -p "$2"
cd "$2"

# What runs ends with this script.
guard=()
if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi

compare() { # compare NAME OPTIONS...
  local name=$1.$backend
  echo "${*:2}" >"$1.options"
  shift
  echo "comparing the strategies on $backend: $*"
  if ! "${guard[@]}" "$bin/tessera-compare" "$@" --backends "$backend" --json "$name.json" >"$name.txt" 2>"$name.log"; then
    tail -n 5 "$name.log" >&2
    return 1
  fi
  sed -n '1,/^$/p;/^\*/p' "$name.txt"
}

# Left out for the demo's time: partitions by METIS, and paper 2's steps towards its best kernel.
without=NzShared/metis,NzGlobal/metis
for lanes in 4 8; do without+=,WarpPerElement/$lanes/per_point,WarpPerElement/$lanes/partial_parallel; done
measured=(--repetitions 5 --seconds 0.08 --without "$without")
compare tetrahedra --generate box:32 --element tet1 --form helmholtz "${measured[@]}"
compare cantilever --generate box:64x8x8@16x2x2 --element tet1 --form elasticity "${measured[@]}"
