#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# enter.sh mounted|copied ROOT SOURCE DIRECTORY COMMAND...
#
# Runs COMMAND in DIRECTORY with ROOT's system (its /usr, /etc, /var).
#
# mounted: this machine's own files (/home, /tmp and all that is no part of a system) appear under the very paths that
# they have outside. To be run in a mount namespace of its own, with which all mounts end; ROOT itself is not changed.
#
# copied: for containers in which even root may not mount. SOURCE is copied into ROOT, and its results/ copied back;
# SOURCE/build stays in ROOT. No other file of this machine is seen.
set -eu
trap 'exit 130' INT # which bash else forgets where the command that it waits for has not ended by it
mode=$1 root=$2 source=$3 directory=$4
shift 4
PATH=$PATH:/usr/sbin:/sbin

show() { # show FILE NAME: FILE appears as /NAME
  if [ -L "$1" ]; then
    cp -P "$1" "$view/$2"
  elif [ -d "$1" ]; then
    mkdir -p "$view/$2"
    mount --rbind "$1" "$view/$2"
  fi
}

mount_all() {
  view=$root/mnt
  mount -t tmpfs tessera "$view"
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
}

copy_source() {
  view=$root
  mkdir -p "$root$source"
  find "$root$source" -mindepth 1 -maxdepth 1 ! -name build ! -name results -exec rm -rf {} +
  tar -C "$source" --exclude=./build --exclude=./results --exclude=./.git -cf - . | tar -C "$root$source" -xf -
  if [ ! -d "$root$directory" ]; then
    echo "tessera: mounting is not permitted here, so commands must be started within $source" >&2
    exit 1
  fi
}

if [ "$mode" = mounted ]; then mount_all; else copy_source; fi

# Only what has a meaning in there: compilers, search paths and Python's settings of this machine have none. Clang takes
# half the time that GCC takes for the tests, lld a fraction of the GNU linker's, and most kernels are faster by Clang.
# Debian's GCC links as needed by itself; else every program would load MPI, and wait for it.
variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 PYTHONNOUSERSITE=1
  CC=clang CXX=clang++ LDFLAGS='-fuse-ld=lld -Wl,--as-needed')
while IFS= read -r -d '' variable; do
  case $variable in
    HOME=* | USER=* | TERM=* | COLUMNS=* | LINES=* | NO_COLOR=* | OMP_* | KOKKOS_* | TESSERA_* | GTEST_* | CTEST_* | \
      ASAN_OPTIONS=* | UBSAN_OPTIONS=* | LSAN_OPTIONS=*)
      variables+=("$variable")
      ;;
  esac
done < <(env -0)
# A background would have the command ignore interrupts.
set -- chroot "$view" /usr/bin/env -i --default-signal=INT --default-signal=QUIT --chdir="$directory" "${variables[@]}" "$@"
if [ "$mode" = mounted ]; then exec "$@"; fi
status=0
setpriv --pdeathsig TERM -- "$@" <&0 & # so that a signal to this shell is acted upon at once
command=$!
trap 'kill -TERM "$command" 2>/dev/null' TERM HUP
trap 'kill -INT "$command" 2>/dev/null' INT
wait "$command" || status=$?
while kill -0 "$command" 2>/dev/null; do # a signal came to this shell: the command is ending
  status=0
  wait "$command" || status=$?
done
if [ -d "$root$source/results" ]; then
  mkdir -p "$source/results"
  cp -a "$root$source/results/." "$source/results"
fi
exit "$status"
