#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_public_headers.sh SOURCE: the public headers are those of docs/public_headers.txt.
set -eu -o pipefail
cd "$1"
listed=docs/public_headers.txt
found() {
  find ./*.hpp core strategies solvers distributed io -name '*.hpp' -o -name version.hpp.in |
    sed 's|^\./||; s|\.in$||' | grep -vE '/detail/|/compiled/|^strategies/cuda/' | LC_ALL=C sort
}
if ! difference=$(diff "$listed" <(found)); then
  printf '%s\n' "$difference"
  echo "Public headers (>) differ from $listed (<). Where one moved, leave a header at the old path that includes the"
  echo "new one. Where one came, or went with a new major version, change $listed by hand, and say so in CHANGELOG.md."
  exit 1
fi
