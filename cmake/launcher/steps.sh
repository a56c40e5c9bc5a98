# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./tessera: messages, and long steps with their elapsed time. All of it goes to standard error.

say() { echo "tessera: $*" >&2; }

die() { # die MESSAGE [STATUS]
  say "$1"
  exit "${2:-1}"
}

elapsed() { # elapsed SECONDS
  printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

running=
stop_running() { # a signal came: end the step and all that it started
  trap '' INT TERM HUP
  if [ -n "$running" ]; then
    kill -TERM -- "-$running" 2>/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      kill -0 -- "-$running" 2>/dev/null || break
      sleep 0.2
    done
    kill -KILL -- "-$running" 2>/dev/null
    printf '\n' >&2
  fi
  die 'interrupted' "$1"
}
trap 'stop_running 130' INT
trap 'stop_running 143' TERM
trap 'stop_running 129' HUP

# What the launcher waits for ends with it, even where it was killed; what it becomes (exec_in alone) does not end with
# the shell that started it.
guard=()
guarded() { # guarded COMMAND...: COMMAND under that guard, where there is one
  local guard=()
  if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi
  "$@"
}

# run_in_group COMMAND...: runs COMMAND and returns its status; a signal that ends the launcher ends it and all that it
# started, at once.
run_in_group() {
  local status
  set -m # a process group of its own, for stop_running
  guarded "$@" </dev/null &
  running=$!
  set +m
  wait "$running"
  status=$?
  running=
  return "$status"
}

# step TITLE LOG COMMAND...: runs COMMAND with its output in LOG. A terminal sees the elapsed time and LOG's last line
# as they change; elsewhere a line comes at the start, each minute and at the end. Steps under two seconds are silent.
# Where COMMAND fails, LOG's name and last lines are shown, and its status is returned.
step() {
  local title=$1 log=$2 begin=$SECONDS now last=-1 width status
  shift 2
  mkdir -p "$(dirname "$log")" || return
  set -m # a process group of its own, for stop_running
  guarded "$@" >"$log" 2>&1 </dev/null &
  running=$!
  set +m
  while kill -0 "$running" 2>/dev/null; do
    now=$((SECONDS - begin))
    if [ "$now" != "$last" ] && [ "$now" -ge 2 ]; then
      if [ -t 2 ]; then
        width=$(($(tput cols 2>/dev/null || echo 80) - ${#title} - 19))
        printf '\r\033[Ktessera: %s  %s  %s' "$title" "$(elapsed "$now")" \
          "$(tail -c 400 "$log" | tr -d '\000-\010\013-\037' | tail -n 1 | cut -c "1-$((width > 8 ? width : 8))")" >&2
      elif [ "$last" -lt 2 ]; then
        say "$title …"
      elif [ $((now / 60)) != $((last / 60)) ]; then
        say "$title … $(elapsed "$now") $(tail -n 1 "$log" | grep -o '^\[[0-9]*/[0-9]*\]')"
      fi
      last=$now
    fi
    sleep 0.1
  done
  wait "$running"
  status=$?
  running=
  now=$((SECONDS - begin))
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  if [ "$status" != 0 ]; then
    say "$title: failed after $(elapsed "$now") (status $status); the last lines of $log:"
    # A compiler's first message says more than what follows it.
    if grep -q '^FAILED: ' "$log"; then
      sed -n '/^FAILED: /,$p' "$log" | head -n 40 >&2
    else
      tail -n 20 "$log" >&2
    fi
    say "log: $log"
  elif [ "$now" -ge 2 ]; then
    say "$title: $(elapsed "$now")"
  fi
  return "$status"
}
