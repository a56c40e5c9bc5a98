#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# threads.sh BIN FILE [SERIAL_BIN]: how assembly, residual and product scale with threads, a section in Markdown in FILE:
# times of tessera-compare in BIN (OpenMP) with 1, 2, 4 ... threads, beside those of a serial build.
set -eu -o pipefail
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
bin=$(cd "$1" && pwd -P)
serial=${3:+$(cd "$3" && pwd -P)}
# Where Kokkos is built by GCC and the tools by Clang, two OpenMP runtimes share the process: bound by the first, all threads
# of the second would stay on one core.
export OMP_PROC_BIND=${OMP_PROC_BIND:-false}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cores=$(nproc)
counts=()
for ((n = 1; n < cores; n *= 2)); do counts+=("$n"); done
counts+=("$cores")

number() { # number FIELD FILE: a number of the first result, or of the context
  sed -n "s/.*\"$1\": \"\{0,1\}\([-+.0-9e]*\).*/\1/p" "$2" | head -n 1
}
measure() { # measure BIN BACKEND FILE OPTIONS...: writes FILE
  "$1/tessera-compare" "${@:4}" --backends "$2" --seconds 0.6 --no-check --json "$3" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    return 1
  }
}

row() { # row TITLE OPTIONS...: nanoseconds an element with each number of threads, and how much faster that is than one
  local title=$1 threads first='' ns line
  shift
  printf '[%4d s] %s\n' "$SECONDS" "$title" >&2
  line="| $title |"
  if [ -n "$serial" ]; then
    measure "$serial" serial "$work/serial.json" "$@"
    line+=$(awk -v ns="$(number ns_per_element "$work/serial.json")" 'BEGIN { printf " %.3g |", ns }')
  fi
  for threads in "${counts[@]}"; do
    OMP_NUM_THREADS=$threads measure "$bin" openmp "$work/$threads.json" "$@"
    ns=$(number ns_per_element "$work/$threads.json")
    first=${first:-$ns}
    line+=$(awk -v ns="$ns" -v first="$first" 'BEGIN { printf " %.3g (%.2f) |", ns, first / ns }')
    number openmp_copy_gb_per_s "$work/$threads.json" >>"$work/copy.$threads"
  done
  printf '%s\n' "$line"
}

write_table() {
  titles='| |' rule='|---|'
  if [ -n "$serial" ]; then titles+=' Serial |' rule+='---:|'; fi
  for threads in "${counts[@]}"; do titles+=" $threads |" rule+='---:|'; done
  printf '## Threads\n\nNanoseconds an element (times faster than one thread); OMP_PROC_BIND=%s.\n\n%s\n%s\n' \
    "$OMP_PROC_BIND" "$titles" "$rule"
  row 'Tet1 Helmholtz, `ElementAtomic`' --generate box:60 --element tet1 --form helmholtz --strategies ElementAtomic
  row 'Tet2 Helmholtz, `ElementAtomic`' --generate box:24 --element tet2 --form helmholtz --strategies ElementAtomic
  row 'Hex1 elasticity, `ElementAtomic`' --generate box:32 --element hex1 --form elasticity --strategies ElementAtomic
  row 'Tet1 residual, `RecomputingResidual`' --family residual --generate box:60 --element tet1 --form heat \
    --strategies RecomputingResidual
  row 'Tet1 Laplace product, `RecomputingElementByElement`' --family apply --generate box:60 --element tet1 --form heat \
    --strategies RecomputingElementByElement
  line='| copy, GB/s, best of the rows |'
  if [ -n "$serial" ]; then line+=' |'; fi
  first=
  for threads in "${counts[@]}"; do
    best=$(sort -g "$work/copy.$threads" | tail -n 1)
    first=${first:-$best}
    line+=$(awk -v copy="$best" -v first="$first" 'BEGIN { printf " %.3g (%.2f) |", copy, copy / first }')
  done
  printf '%s\n' "$line"
}

write_table >"$2"
