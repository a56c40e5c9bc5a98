#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# papers.sh BIN RESULTS [NAME=MESH…]: measures what the tables and figures of the five papers are made of, with the tools in
# BIN, on the last of their backends and at sizes for it; RESULTS/paper1.json … paper5.json, hypre.*.json and parts.json, and
# profile.json by profile.py where NVIDIA's ncu is. Else an earlier profile stays. Nothing but the tools is needed:
# tools/papers.py makes the pages of RESULTS, here or elsewhere.
# NAME=MESH: Irregular, Heart, Brain, Blobs of paper 4, H1 … H5 of paper 5, files by ./tessera mesh.
set -eu -o pipefail
scripts=$(cd "$(dirname "$0")" && pwd -P)
bin=$(cd "$1" && pwd -P)
mkdir -p "$2"
results=$(cd "$2" && pwd -P)
shift 2
limit=170 # seconds of a part; what is cut short has written what it measured

# What runs ends with this script.
guard=()
if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi

backend=$("$bin/tessera-paper3" --parts model | sed -n '1s/:.*//p')
rm -f "$results"/paper[1-5].json "$results"/hypre.*.json "$results"/parts.json "$results"/*.log
parts=()

part() { # part NAME TOOL OPTIONS...
  local name=$1 tool=$2 status=0 begin=$SECONDS
  shift 2
  if [ ! -x "$bin/$tool" ]; then
    printf 'papers: %s is not built\n' "$tool" >&2
    return
  fi
  printf '[%4d s] %s\n' "$SECONDS" "$name: $tool $*" >&2
  "${guard[@]}" timeout "$limit" "$bin/$tool" "$@" --json "$results/$name.json" >"$results/$name.log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then tail -n 3 "$results/$name.log" >&2; fi
  parts+=("{\"part\": \"$name\", \"status\": $status, \"seconds\": $((SECONDS - begin)), \"command\": \"$tool $*\"}")
}

regular=3 meshes=("$@") plates=() files=()
for mesh in "${meshes[@]}"; do
  case $mesh in
    H[1-5]=*) plates+=("$mesh") ;;
    *) files+=("$mesh") ;;
  esac
done
foreign=() # numbered by a mesher: the first of paper 4's
if [ ${#files[@]} != 0 ]; then foreign=(--mesh "${files[0]#*=}"); fi

if [ "$backend" = Serial ] || [ "$backend" = OpenMP ]; then
  regular=2
  part paper1 tessera-paper1 --meshes 6 --figure3-elements 200000 --figure13-unknowns 10000 --repetitions 5 --seconds 0.1
  part paper2 tessera-paper2 --divisions 6,8,12 --repetitions 3
  part paper3 tessera-paper3 --cells 100000 --small-cells 20000 --repetitions 5 "${foreign[@]}"
  problems=C1/4,C2/4,C3/4,C4/4,C5/4,L1/8,L2/8,L3/8,L4/8,L5/8,H1/4,H2/4,H3/4,H4/4,H5/4
  operators=(--repetitions 5 --products 2)
else
  limit=400 part paper1 tessera-paper1 --repetitions 15 --seconds 0.15 # METIS takes most of it
  limit=300 part paper2 tessera-paper2 --meshes 4,1,2,3 --repetitions 10 # the largest first, should time run out
  part paper3 tessera-paper3 --cells 12e6 "${foreign[@]}"
  problems=C1,C2,C3,C4,C5,L1,L2,L3,L4,L5,H1,H2,H3,H4,H5
  operators=()
fi
for plate in "${plates[@]}"; do problems+=,$plate; done
part paper5 tessera-paper5 --problems "$problems" "${operators[@]}"
list=Regular=regular4:$regular
for file in "${files[@]}"; do list+=,$file; done
part paper4 tessera-paper4 --meshes "$list" --repetitions 3 --series $((regular + 1))
# hypre works on one core, as in paper 4.
limit=60
for level in $(seq 0 "$regular"); do
  part "hypre.regular4-$level" tessera-peer-hypre --generate "regular4:$level" --repetitions 1
done
for file in "${files[@]}"; do
  for sigma in 1 10 100; do
    if [ "$sigma" = 1 ] || [ "${file%%=*}" = Blobs ]; then
      part "hypre.${file%%=*}.$sigma" tessera-peer-hypre --mesh "${file#*=}" --sigma "$sigma" --repetitions 1
    fi
  done
done

if [ "$backend" = Cuda ] && command -v ncu >/dev/null && command -v python3 >/dev/null; then
  printf '[%4d s] profile by ncu\n' "$SECONDS" >&2
  "${guard[@]}" python3 "$scripts/profile.py" "$bin" "$results" >"$results/profile.log" 2>&1 ||
    printf 'papers: no profile: %s\n' "$(tail -n 1 "$results/profile.log")" >&2
fi

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 || true)
{
  printf '{"backend": "%s", "date": "%s", "processor": "%s", "device": "%s", "seconds": %d, "parts": [\n' \
    "$backend" "$(date -u +%Y-%m-%d)" "$processor" "$device" "$SECONDS"
  (IFS=,; printf '%s' "${parts[*]}")
  printf ']}\n'
} >"$results/parts.json"
printf '[%4d s] measured\n' "$SECONDS" >&2
