#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_namespaces.sh SOURCE: each header in strategies/<room>/detail/ writes its room's namespace.
set -eu -o pipefail
cd "$1/strategies"
wrong=$(find -- */detail -name '*.hpp' | while read -r header; do
  grep -qE "^namespace (tessera|TESSERA_KERNELS)::${header%%/*}(::detail)? \{" "$header" &&
    ! grep -q '^namespace tessera::detail' "$header" || echo "$header"
done)
test -z "$wrong" || { printf 'another namespace than the room'"'"'s:\n%s\n' "$wrong"; exit 1; }
