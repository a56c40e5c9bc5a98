#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_signals.sh SOURCE: a signal to the launcher alone ends what it runs at once, and what it waits for does not outlive it.
set -eu -o pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cat >"$tree/launcher.sh" <<SCRIPT
source=$1
configurations=serial
. "\$source/cmake/launcher/steps.sh"
. "\$source/cmake/launcher/build.sh"
find_environment() { environment=host; }
case \$1 in
  become) exec_in serial "$tree" "$tree/command" ;;
  wait) run_in_group exec_in serial "$tree" "$tree/command" ;;
  step) step working "$tree/log" exec_in serial "$tree" "$tree/command" ;;
esac
SCRIPT
cat >"$tree/command" <<SCRIPT
#!/bin/bash
echo \$\$ >"$tree/pid"
while :; do read -r -t 60 <> <(:) || :; done
SCRIPT
chmod +x "$tree/command"

fail() {
  echo "$1" >&2
  exit 1
}

is_gone() { # is_gone PROCESS: within five seconds
  for _ in $(seq 50); do
    if ! kill -0 "$1" 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  return 1
}

# ends SIGNAL WAY: the command that was started in WAY ends with the launcher that gets SIGNAL.
ends() {
  local launcher command
  rm -f "$tree/pid"
  bash "$tree/launcher.sh" "$2" >"$tree/out" 2>&1 &
  launcher=$!
  for _ in $(seq 50); do
    if [ -s "$tree/pid" ]; then break; fi
    sleep 0.1
  done
  command=$(cat "$tree/pid")
  kill "-$1" "$launcher"
  if ! is_gone "$command"; then
    kill -KILL "$command"
    fail "after SIG$1 to the launcher the command went on ($2)"
  fi
  wait "$launcher" && fail "the launcher ended as if nothing had happened ($2, SIG$1)"
  is_gone "$launcher" || fail "the launcher went on after SIG$1 ($2)"
}
for way in become wait step; do ends TERM "$way"; done
ends KILL become
if command -v setpriv >/dev/null; then
  for way in wait step; do ends KILL "$way"; done
fi

# What the launcher becomes is not tied to the shell that started it.
rm -f "$tree/pid"
bash -c "bash '$tree/launcher.sh' become & for _ in \$(seq 50); do [ -s '$tree/pid' ] && break; sleep 0.1; done"
sleep 0.3
command=$(cat "$tree/pid")
kill -0 "$command" 2>/dev/null || fail 'the command ended with the shell that had started the launcher in the background'
kill -TERM "$command"

# A script that an interrupt finds while it waits for a command, which does not get it, ends with that command.
source=$1
mkdir "$tree/slow" "$tree/root" "$tree/root/mnt"
for name in mount readlink; do
  printf '#!/bin/bash\necho >>"%s/calls"\nsleep 1\n' "$tree" >"$tree/slow/$name"
  chmod +x "$tree/slow/$name"
done
interrupted() { # interrupted COMMAND...
  local script status=0
  rm -f "$tree/calls"
  # A background would have the script ignore interrupts.
  PATH=$tree/slow:$PATH env --default-signal=INT "$@" >"$tree/out" 2>&1 &
  script=$!
  for _ in $(seq 50); do
    if [ -s "$tree/calls" ]; then break; fi
    sleep 0.1
  done
  kill -INT "$script"
  wait "$script" || status=$?
  if [ "$status" != 130 ] || [ "$(wc -l <"$tree/calls")" != 1 ]; then
    fail "SIGINT to $2 was lost: status $status, $(wc -l <"$tree/calls") commands"
  fi
}
interrupted bash "$source/cmake/roots/enter.sh" mounted "$tree/root" "$source" "$tree" true
interrupted bash "$source/tessera" --help
