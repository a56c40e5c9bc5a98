#!/bin/bash
# tables.sh BIN RESULTS: measures what docs/ shows with the tools in BIN, on the last of their backends, which is the
# device where there is one. Writes RESULTS/tables.md, with the machine, the date and the commit, and JSON of each part.
set -eu -o pipefail
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
bin=$(cd "$1" && pwd -P)
scripts=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$2"
cd "$2"
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
if [ -x "$bin/tessera-multigrid" ]; then
  part multigrid_helmholtz "$bin/tessera-multigrid" --problem helmholtz --cells "$multigrid"
  part multigrid_elasticity "$bin/tessera-multigrid" --problem elasticity --cells "$((multigrid / 4))"
fi
if [ "$backend" = openmp ]; then limit=300 part threads bash "$scripts/threads.sh" "$bin" threads.md; fi
printf '[%4d s] %s\n' "$SECONDS" "$PWD/tables.md" >&2
