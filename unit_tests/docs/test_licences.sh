#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_licences.sh SOURCE: every source says which licence it is under.
set -eu -o pipefail
cd "$1"
sources=$(find . \( -path './.[!c]*' -o -path ./build -o -path ./results \) -prune -o -type f \
  \( -name '*.[hc]pp' -o -name '*.[hc]pp.in' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name '*.geo' \
  -o -name '*.js' -o -name '*.css' -o -name CMakeLists.txt -o -path ./tessera -o -path ./.ci/run \) -print)
[ "$(echo "$sources" | wc -l)" -gt 1000 ] || { echo "found too few sources"; exit 1; }
without=$(echo "$sources" | xargs grep -LE '^(//|#|/\*) SPDX-License-Identifier: BSD-3-Clause' || true)
[ -z "$without" ] || { echo "without a line 'SPDX-License-Identifier: BSD-3-Clause':"; echo "$without"; exit 1; }
