#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_demo_part.sh SOURCE: the demo builds few elements where nothing else was built; more is built when it is asked for; and what
# one configuration needs is set up while another is built.
set -eu -o pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/cmake"
cp -r "$1/cmake/launcher" "$1/cmake/roots" "$tree/cmake"
cp "$1/CMakePresets.json" "$tree"
# Stands for CMake: notes the preset and leaves what CMake leaves.
cat >"$tree/cmake.sh" <<'SCRIPT'
if [ "$1" = --preset ]; then
  echo "$2" >>presets
  folder=build/${2%_demo} elements=
  case $2 in *_demo) elements='tet1;hex1' ;; esac
  mkdir -p "$folder/configured/tessera" # with what it generates
  touch "$folder/build.ninja"
  echo "TESSERA_ELEMENTS:STRING=$elements" >"$folder/CMakeCache.txt"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >>"$folder/CMakeCache.txt"
fi
SCRIPT
# Stands for the launcher that sets up.
cat >"$tree/tessera" <<'SCRIPT'
#!/bin/bash
cd "$(dirname "$0")"
echo $$ >set_up_process
echo "$*" >set_up
if [ -e slow ]; then exec sleep 60; fi
SCRIPT
chmod +x "$tree/tessera"

launcher() { # launcher FUNCTION ARGUMENT...: a function of the launcher in a process of its own
  (
    source=$tree
    cache=$tree/cache
    configurations='serial openmp'
    . "$source/cmake/launcher/steps.sh"
    . "$source/cmake/roots/setup.sh"
    . "$source/cmake/launcher/build.sh"
    TESSERA_USE=host
    host_has() { :; }
    exec_in() { cd "$2" && bash cmake.sh "${@:4}"; }
    "$@"
  )
}
presets() { # presets EXPECTED WHAT: those with which CMake was called since the last time
  local found
  found=$(tr '\n' ' ' <"$tree/presets")
  : >"$tree/presets"
  if [ "$found" != "$1" ]; then
    echo "$2: CMake was called with '$found'; expected: '$1'" >&2
    exit 1
  fi
}
part() { # part EXPECTED OPTION...: what of the serial configuration the tools are built with
  local found
  found=$(launcher part_with serial "${@:2}")
  if [ "$found" != "$1" ]; then
    echo "with ${*:2} the part is '$found'; expected: '$1'" >&2
    exit 1
  fi
}
: >"$tree/presets"

part demo --mesh part.msh --element tet2
part '' --element hex1
part '' --mesh part.msh
launcher build serial:demo
presets 'serial_demo ' 'the demo in an empty folder'
launcher build serial:demo
presets '' 'the demo once more'
part demo --generate box:4 --element tet1
part demo --element=hex1
part '' --element tri3
part demo --element tet1 --family apply
part '' --generate box:4
launcher build serial:
presets 'serial ' 'a tool that needs more'
part '' --element tet1
launcher build serial:demo
presets '' 'the demo where all is built'
launcher build serial_test
presets 'serial_test ' 'the tests, in a folder of their own'
launcher build serial:demo
presets '' 'the demo beside the tests'
launcher build openmp:demo
presets 'openmp_demo ' 'the demo of threads'
launcher build openmp
presets 'openmp ' 'everything'

within_five_seconds() { # within_five_seconds COMMAND...: succeeds
  for _ in $(seq 50); do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "not so within five seconds: $*" >&2
  exit 1
}
set_up_is() { [ "$(cat "$tree/set_up" 2>/dev/null)" = "$1" ]; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }

launcher build_all openmp_test serial_test
within_five_seconds set_up_is 'setup serial'

# It does not outlive a launcher that was killed.
if command -v setpriv >/dev/null; then
  rm "$tree/set_up"
  touch "$tree/slow"
  launcher eval 'echo "$BASHPID" >"$source/launcher_process"; set_up_beside serial; read -r -t 60 <> <(:)' &
  within_five_seconds set_up_is 'setup serial'
  kill -KILL "$(cat "$tree/launcher_process")"
  within_five_seconds has_ended "$(cat "$tree/set_up_process")"
fi
