#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_debian.sh FOLDER SOURCE BUILD: the package in FOLDER is installed by dpkg over a fresh view of the system, in which neither
# SOURCE nor BUILD is seen; its tools run, an example that it ships is built and passes, and its removal leaves nothing. The view
# ends with the test. Ends by 77 where mounting is not permitted.
set -eu -o pipefail
namespace=(--mount)
if [ "$(id -u)" != 0 ]; then namespace+=(--user --map-root-user); fi

inside() { # inside PACKAGE SOURCE BUILD ROOM
  local room=$4 name folder
  mount -t tmpfs tessera "$room"
  cp "$1" "$room/package.deb"
  for name in usr var etc; do
    mkdir "$room/$name" "$room/$name.work"
    mount -t overlay tessera -o "lowerdir=/$name,upperdir=$room/$name,workdir=$room/$name.work" "/$name" || exit 77
  done
  for folder in "$2" "$3"; do
    if [ -d "$folder" ]; then mount -t tmpfs tessera "$folder"; fi # the first may have had the other
  done
  cd "$room"
  export HOME=$room PATH=$PATH:/usr/sbin:/sbin
  dpkg --install package.deb >install.log 2>&1 || { cat install.log; exit 1; }
  dpkg --listfiles libtessera-dev | while read -r name; do if [ -f "$name" ]; then echo "$name"; fi; done >files
  [ -s files ] || { echo "the package has no files"; exit 1; }
  tessera-compare --version
  cp -r /usr/share/tessera/examples .
  cmake -S examples -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE= >configure.log 2>&1 ||
    { cat configure.log; exit 1; }
  cmake --build build --target example_11_poisson
  ctest --test-dir build --output-on-failure --no-tests=error -R '^example_11_poisson$'
  dpkg --purge libtessera-dev >purge.log
  while read -r name; do
    if [ -e "$name" ]; then echo "the package leaves $name"; exit 1; fi
  done <files
}

if [ "${1:-}" = inside ]; then
  shift
  inside "$@"
else
  if ! unshare "${namespace[@]}" true 2>/dev/null; then
    echo "mounting is not permitted"
    exit 77
  fi
  package=$(echo "$1"/libtessera-dev_*.deb)
  room=$(mktemp -d)
  trap 'rmdir "$room"' EXIT
  unshare "${namespace[@]}" bash "$0" inside "$package" "$2" "$3" "$room"
fi
