#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_options.sh SOURCE: CMake's options are those of docs/options.md.
set -eu -o pipefail
cd "$1"
page=docs/options.md
options=$(grep -hoE '^ *(option\(TESSERA_[A-Z_]+|set\(TESSERA_[A-Z_]+ .*CACHE)' CMakeLists.txt cmake/*.cmake \
  {core,strategies,solvers,distributed,io,tools,perf_tests,examples,unit_tests,docs,python}/CMakeLists.txt 2>/dev/null |
  grep -oE 'TESSERA_[A-Z_]+' | LC_ALL=C sort -u || true)
documented=$(sed -nE 's/^\| `(TESSERA_[A-Z_]+)` .*/\1/p' "$page" | LC_ALL=C sort -u)
[ -n "$options" ] || { echo "found no option in CMake's files"; exit 1; }
diff <(echo "$documented") <(echo "$options") || { echo "$page (<) and the options of CMake's files (>) differ"; exit 1; }
