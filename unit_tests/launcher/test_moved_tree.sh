#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_moved_tree.sh SOURCE: a build folder that was configured for another source folder is emptied, its own is kept.
set -eu -o pipefail
moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
mkdir "$moved/tree"
cp -r "$1/cmake" "$1/CMakeLists.txt" "$moved/tree"
cache=$moved/cache
unset TESSERA_USE

# configured_for FOLDER: what find_environment leaves of a build folder of the tree that was configured for FOLDER.
configured_for() {
  local folder=$moved/tree/build/serial
  mkdir -p "$folder"
  echo host >"$folder/environment"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$1" >"$folder/CMakeCache.txt"
  (
    source=$moved/tree
    . "$source/cmake/launcher/steps.sh"
    . "$source/cmake/roots/setup.sh"
    . "$source/cmake/launcher/build.sh"
    find_environment serial
  )
  if [ -e "$folder/CMakeCache.txt" ]; then echo kept; else echo emptied; fi
}

expect() { # expect OUTCOME FOLDER
  local outcome
  outcome=$(configured_for "$2")
  if [ "$outcome" != "$1" ]; then
    echo "a build folder configured for $2 was $outcome; expected: $1" >&2
    exit 1
  fi
}
expect kept "$moved/tree"
expect emptied "$moved/before"
