#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_options.sh SOURCE: CMake's options are those of docs/options.md, and recipes of packages give no others; what they state of
# the version is CMake's.
set -eu -o pipefail
cd "$1"
page=docs/options.md
options=$(grep -hoE '^ *(option\(TESSERA_[A-Z_]+|set\(TESSERA_[A-Z_]+ .*CACHE)' CMakeLists.txt cmake/*.cmake \
  {core,strategies,solvers,distributed,io,tools,perf_tests,examples,unit_tests,docs,python}/CMakeLists.txt 2>/dev/null |
  grep -oE 'TESSERA_[A-Z_]+' | LC_ALL=C sort -u || true)
documented=$(sed -nE 's/^\| `(TESSERA_[A-Z_]+)` .*/\1/p' "$page" | LC_ALL=C sort -u)
[ -n "$options" ] || { echo "found no option in CMake's files"; exit 1; }
diff <(echo "$documented") <(echo "$options") || { echo "$page (<) and the options of CMake's files (>) differ"; exit 1; }
recipes=$(grep -rhoE 'TESSERA_[A-Z_]+' packaging/{spack,conda} | LC_ALL=C sort -u)
[ -n "$recipes" ] || { echo "found no option in packaging/"; exit 1; }
unknown=$(comm -13 <(echo "$options") <(echo "$recipes"))
[ -z "$unknown" ] || { echo "packaging/ gives options that $page does not have: $unknown"; exit 1; }
version=$(sed -n 's/^project(Tessera VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -q "^  version: $version\$" packaging/conda/meta.yaml || { echo "packaging/conda/meta.yaml is not of version $version"; exit 1; }
grep -q "^  version: $version\$" .e4s/e4s.yaml || { echo ".e4s/e4s.yaml is not of version $version"; exit 1; }
