#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every path in back quotes on a page leads to a file or folder of the source tree, whole or by its last parts.
set -eu -o pipefail
cd "$1"
{
  find . \( -path ./build -o -path ./results -o -path ./.git \) -prune -o -mindepth 1 -print
  echo pages:
  find . \( -path ./build -o -path ./results \) -prune -o -name '*.md' ! -name CHANGELOG.md -print
} | awk '
  /^pages:$/ { pages = 1; next }
  !pages { # every ending of the path that begins at a folder or file is known
    path = substr($0, 2)
    while (path != "") { known[substr(path, 2)] = 1; path = substr(path, 2); sub(/^[^\/]*/, "", path) }
    next
  }
  { # names of strategies and their variants begin with a capital or a slash; examples of new files with my_
    fence = line_number = 0
    while ((getline line < $0) > 0) {
      ++line_number
      if (line ~ /^ *```/) { fence = !fence; continue }
      if (fence) continue
      while (match(line, /`[^`]+`/)) {
        name = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        if (name !~ /^[a-z_.][A-Za-z0-9_.\/-]*$/ || name ~ /^results\/|my_|^\.[a-z]+$/) continue
        if (name !~ /\// && name !~ /\.(hpp|cpp|md|sh|py|in|cmake)$/) continue
        if (name ~ /^(report|tables|papers)\.md$/) continue # generated
        sub(/^\.\.?\//, "", name); sub(/^tessera\//, "", name); sub(/\/$/, "", name)
        if (name in known) continue
        printf "%s:%d: there is no %s\n", substr($0, 3), line_number, name
        missing = 1
      }
    }
    close($0)
  }
  END { exit missing }'
