#!/bin/bash
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

compare tetrahedra --generate box:32 --element tet1 --form helmholtz --repetitions 7 --seconds 0.15
compare cantilever --generate box:64x8x8@16x2x2 --element hex1 --form elasticity --repetitions 7 --seconds 0.15
