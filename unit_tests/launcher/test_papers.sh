#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_papers.sh SOURCE: a configuration without the papers' drivers is refused; perf_tests/papers.sh goes on where a driver
# fails or is not built, and says so in parts.json; it profiles where ncu is, and keeps an earlier profile elsewhere.
set -eu -o pipefail
fail() {
  echo "$1" >&2
  exit 1
}

status=0
message=$("$1/tessera" papers openmp 2>&1) || status=$?
if [ "$status" != 2 ] || [[ $message != *"built with serial and with cuda, not with 'openmp'"* ]]; then
  fail "papers openmp: status $status, '$message'"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
for paper in 1 2 3 4 5; do
  cat >"$folder/bin/tessera-paper$paper" <<'DRIVER'
#!/bin/bash
echo 'Serial: copy 1 GB/s'
while [ $# != 0 ]; do
  if [ "$1" = --json ]; then echo '{"results": []}' >"$2"; fi
  shift
done
DRIVER
done
echo 'echo "paper 5 cannot" >&2; exit 3' >>"$folder/bin/tessera-paper5"
chmod +x "$folder"/bin/*
message=$(bash "$1/perf_tests/papers.sh" "$folder/bin" "$folder/results" Blobs=blobs.msh H1=plate.msh 2>&1)
parts=$(cat "$folder/results/parts.json")
for text in '"part": "paper1", "status": 0' '"part": "paper5", "status": 3' ',H1=plate.msh --repetitions' \
  'tessera-paper4 --meshes Regular=regular4:2,Blobs=blobs.msh '; do
  if [[ $parts != *"$text"* ]]; then fail "parts.json has no '$text': $parts"; fi
done
for text in 'paper 5 cannot' 'tessera-peer-hypre is not built'; do
  if [[ $message != *"$text"* ]]; then fail "no '$text' in: $message"; fi
done
for file in paper1 paper2 paper3 paper4 paper5; do
  if [ ! -s "$folder/results/$file.json" ]; then fail "$file.json is missing"; fi
done

echo earlier >"$folder/results/profile.json"
bash "$1/perf_tests/papers.sh" "$folder/bin" "$folder/results" >/dev/null 2>&1
if [ "$(cat "$folder/results/profile.json")" != earlier ]; then fail 'an earlier profile is lost'; fi
if command -v python3 >/dev/null; then
  sed -i 's/Serial: copy/Cuda: copy/' "$folder"/bin/tessera-paper*
  mkdir "$folder/ncu"
  printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM"\n' >"$folder/ncu/ncu"
  chmod +x "$folder/ncu/ncu"
  message=$(PATH=$folder/ncu:$PATH bash "$1/perf_tests/papers.sh" "$folder/bin" "$folder/results" 2>&1)
  if [[ $message != *'papers: no profile: '*ERR_NVGPUCTRPERM* ]]; then fail "ncu was not asked: $message"; fi
fi
