#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PACKAGE... without:PACKAGE...: runs inside a root; installs the first kind, and puts an empty package in
# the place of the second.
set -u
export DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
wanted=()
for name in "$@"; do
  case $name in
    without:*)
      name=${name#without:}
      mkdir -p "$work/$name/DEBIAN"
      # Whoever asks for it in any version is content.
      cat >"$work/$name/DEBIAN/control" <<CONTROL
Package: tessera-without-$name
Version: 1
Architecture: all
Maintainer: Tessera <tessera@localhost>
Provides: $name (= 999:1)
Description: takes the place of $name
CONTROL
      dpkg-deb --build "$work/$name" "$work/$name.deb" && dpkg --install "$work/$name.deb" || exit
      ;;
    *) wanted+=("$name") ;;
  esac
done
rm -rf "$work"

# Sid moves: a package that has gone since the list was made is in the next list.
for attempt in 1 2 3; do
  if apt-get update && apt-get install "${wanted[@]}"; then break; fi
  if [ "$attempt" = 3 ]; then exit 1; fi
  sleep 5
done

# Debian's CMake files of Kokkos 5 name two archives without content that its package lacks.
for folder in /usr/lib/*/cmake/Kokkos; do
  for name in libkokkosalgorithms.a libkokkossimd.a; do
    if grep -qs "/$name\"" "$folder"/KokkosTargets*.cmake && [ ! -e "$folder/../../$name" ]; then
      ar rcs "$folder/../../$name" || exit
    fi
  done
done
rm -rf /var/lib/apt/lists/*
