#!/bin/bash
# enter.sh ROOT SOURCE DIRECTORY COMMAND...
#
# Runs COMMAND in DIRECTORY with ROOT's system (its /usr, /etc, /var) and this machine's own files (/home, /tmp and
# all that is no part of a system) under the very paths that they have outside. To be run in a mount namespace of
# its own, in which all mounts end with it; ROOT itself is not changed.
set -eu
root=$1 source=$2 directory=$3
shift 3
PATH=$PATH:/usr/sbin:/sbin

view=$root/mnt
mount -t tmpfs tessera "$view"

show() { # show FILE NAME: FILE appears as /NAME
  if [ -L "$1" ]; then
    cp -P "$1" "$view/$2"
  elif [ -d "$1" ]; then
    mkdir -p "$view/$2"
    mount --rbind "$1" "$view/$2"
  fi
}

for name in bin sbin lib lib32 lib64 libx32 usr etc var run; do
  show "$root/$name" "$name"
done
for entry in /*; do
  name=${entry#/}
  case $name in
    bin | sbin | lib | lib32 | lib64 | libx32 | usr | etc | var | run | boot | lost+found) ;;
    *) show "$entry" "$name" ;;
  esac
done
for folder in "$source" "$directory"; do
  if [ ! -d "$view$folder" ]; then # within /usr or /var
    mkdir -p "$view$folder"
    mount --rbind "$folder" "$view$folder"
  fi
done

# Only what has a meaning in there: compilers, search paths and Python's settings of this machine have none.
variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 PYTHONNOUSERSITE=1)
while IFS= read -r -d '' variable; do
  case $variable in
    HOME=* | USER=* | TERM=* | COLUMNS=* | LINES=* | NO_COLOR=* | OMP_* | KOKKOS_* | TESSERA_* | GTEST_* | CTEST_* | \
      ASAN_OPTIONS=* | UBSAN_OPTIONS=* | LSAN_OPTIONS=*)
      variables+=("$variable")
      ;;
  esac
done < <(env -0)
exec chroot "$view" /usr/bin/env -i --chdir="$directory" "${variables[@]}" "$@"
