#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# tables.sh BIN RESULTS [MESH…]: measures what docs/ shows with the tools in BIN, on the last of their backends, which is
# the device where there is one. Writes RESULTS/tables.md, with the machine, the date and the commit, and JSON of each part.
# The map has lines for the files MESH as well, of linear tetrahedra, as numbered and along the Hilbert curve.
set -eu -o pipefail
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
bin=$(cd "$1" && pwd -P)
scripts=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$2"
results=$(cd "$2" && pwd -P)
meshes=()
for mesh in "${@:3}"; do meshes+=("$(realpath -e "$mesh")"); done
cd "$results"
limit=90 # seconds for one tool; a part that takes longer is left out, and the page says so

# What runs ends with this script.
guard=()
if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi

backend=$("$bin/tessera-compare" --help | sed -n 's/^ *--backends .* of \(.*\), or all$/\1/p' | sed 's/.*, //')

part() { # part NAME COMMAND...: runs COMMAND, whose output is the part where it wrote no NAME.md
  local name=$1 status=0
  shift
  printf '[%4d s] %s\n' "$SECONDS" "$name" >&2
  rm -f "$name.md"
  "${guard[@]}" timeout "$limit" "$@" >"$name.txt" 2>"$name.log" || status=$?
  if [ "$status" = 124 ]; then
    printf '\n## %s\n\nDid not end within %d s.\n' "$name" "$limit" >>tables.md
  elif [ "$status" != 0 ]; then
    tail -n 5 "$name.log" >&2
    return 1
  elif [ -e "$name.md" ]; then
    printf '\n' | cat - "$name.md" >>tables.md
  else
    printf '\n## %s\n\n```\n%s\n```\n' "$name" "$(cat "$name.txt")" >>tables.md
  fi
}

compare() { # compare NAME OPTIONS...
  part "$1" "$bin/tessera-compare" "${@:2}" --backends "$backend" --seconds 0.2 --json "$1.json" --markdown "$1.md"
}

# The strategies among which the map's best ones are, of an element and a form each.
mapped=ElementAtomic,ElementLocal,RowOwner,WarpPerElement/atomics,Patch/pairs,NzGlobal

map_line() { # map_line ELEMENT FORM MESH OPTIONS...: a line of map.md
  local element=$1 form=$2 mesh=$3 status=0
  shift 3
  if [ "$element" != tet1 ] && [ "$element" != tri1 ]; then set -- "$@" --without Patch/pairs; fi
  "${guard[@]}" timeout "$limit" "$bin/tessera-compare" --element "$element" --form "$form" "$@" --strategies "$mapped" \
    --backends "$backend" --repetitions 25 --seconds 0.2 --csv map.csv >map.txt 2>map.log || status=$?
  if [ "$status" = 124 ]; then
    printf '| %s | %s | %s | did not end within %d s | | | |\n' "$element" "$form" "$mesh" "$limit"
    return
  elif [ "$status" != 0 ]; then
    tail -n 3 map.log >&2
    return 1
  fi
  # Names and sources of strategies are quoted and may have commas, and so may the last column; nothing else does.
  sed 's/^"\([^"]*\)","[^"]*"/\1,/; s/"//g' map.csv | awk -F , -v element="$element" -v form="$form" -v mesh="$mesh" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["unsupported"] == "" {
      ns = $column["ns_per_element"] + 0; times = $column["bound_ratio"] + 0
      if (best == "" || ns < best_ns) { next_name = best; next_ns = best_ns; best = $1; best_ns = ns; best_times = times }
      else if (next_name == "" || ns < next_ns) { next_name = $1; next_ns = ns }
      if ($column["deterministic"] == "true" && (same == "" || ns < same_ns)) { same = $1; same_ns = ns }
    }
    END {
      printf "| %s | %s | %s | %s %.3g | %s %.3g | %s %.3g | %.1f |\n",
        element, form, mesh, best, best_ns, next_name, next_ns, same, same_ns, best_times
    }'
}

map() { # of every element and form on boxes, and of linear tetrahedra in the files
  local element size form mesh order sizes
  if [ "$backend" = serial ] || [ "$backend" = openmp ]; then
    sizes='tri1:300x300 tri2:120x120 tri3:80x80 tri4:60x60 tri5:50x50 quad1:300x300 quad2:150x150
      tet1:32 tet2:16 tet3:8 hex1:32 hex2:10 quad8:150x150 hex20:18 wedge1:32 wedge2:16 wedge15:16 pyramid1:24 pyramid13:14'
  else
    sizes='tri1:1500x1500 tri2:700x700 tri3:450x450 tri4:320x320 tri5:250x250 quad1:1500x1500 quad2:700x700
      tet1:80 tet2:48 tet3:22 hex1:80 hex2:26 quad8:700x700 hex20:26 wedge1:100 wedge2:40 wedge15:48 pyramid1:64 pyramid13:40'
  fi
  printf '## map\n\nNanoseconds an element; times over the bound: memory at the copy rate, or the operations of the form.\n\n'
  printf '| element | form | mesh | best | second | best that repeats bitwise | best over the bound |\n|---|---|---|---|---|---|---:|\n'
  for form in helmholtz elasticity stokes; do
    for size in $sizes; do
      if [ "$form" = stokes ] && [ "${size%%:*}" != tri2 ] && [ "${size%%:*}" != tet2 ]; then continue; fi
      printf '[%4d s] map: %s %s\n' "$SECONDS" "${size%%:*}" "$form" >&2
      map_line "${size%%:*}" "$form" "box:${size#*:}" --generate "box:${size#*:}"
    done
  done
  for mesh in "${meshes[@]}"; do
    for form in helmholtz elasticity; do
      for order in given hilbert; do
        map_line tet1 "$form" "$(basename "$mesh"), $order" --mesh "$mesh" --order "$order"
      done
    done
  done
}

# Partitions by METIS take seconds each.
without_metis='--without NzShared/metis,NzGlobal/metis'

# Twelve million tetrahedra and what takes as long on a device, less on a processor.
if [ "$backend" = serial ] || [ "$backend" = openmp ]; then
  tetrahedra=32 plate=300x300 hexahedra=24 product=32 multigrid=32
else
  tetrahedra=126 plate=2240x2240 hexahedra=128 product=100 multigrid=128
fi

{
  printf '# Tables of one machine\n\n%s, backend %s. Made by `./tessera tables`.\n\n```\n' "$(date -u +%Y-%m-%d)" "$backend"
  "$bin/tessera-compare" --version
  printf '```\n'
} >tables.md
compare tetrahedra --generate "box:$tetrahedra" --element tet1 --form helmholtz $without_metis
compare triangles --generate "box:$plate" --element tri1 --form heat $without_metis
compare hexahedra_elasticity --generate "box:$((hexahedra / 2))" --element hex1 --form elasticity $without_metis
compare hexahedra_helmholtz --generate "box:$hexahedra" --element hex1 --form helmholtz $without_metis
compare tetrahedra_float --generate "box:$tetrahedra" --element tet1 --form helmholtz --scalar float $without_metis
fastest='--coefficients constant --strategies ElementAtomic,NzGlobal,RowOwner,WarpPerElement/atomics'
compare tetrahedra_constant --generate "box:$tetrahedra" --element tet1 --form helmholtz $fastest
compare triangles_constant --generate "box:$plate" --element tri1 --form heat $fastest
compare hexahedra_constant --generate "box:$((hexahedra / 2))" --element hex1 --form elasticity $fastest
compare products_tetrahedra --family apply --generate "box:$product" --element tet1 --form helmholtz
compare products_hexahedra --family apply --generate "box:$product" --element hex1 --form elasticity
map | cat <(printf '\n') - >>tables.md
if [ -x "$bin/tessera-multigrid" ]; then
  part multigrid_helmholtz "$bin/tessera-multigrid" --problem helmholtz --cells "$multigrid"
  part multigrid_elasticity "$bin/tessera-multigrid" --problem elasticity --cells "$((multigrid / 4))"
fi
if [ "$backend" = openmp ]; then limit=300 part threads bash "$scripts/threads.sh" "$bin" threads.md; fi
printf '[%4d s] %s\n' "$SECONDS" "$PWD/tables.md" >&2
