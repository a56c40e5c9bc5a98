# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./tessera: where a configuration is built, how, and its tests. Uses $source, $cache, $configurations.

check_configuration() {
  case " $configurations " in
    *" $1 "*) ;;
    *) die "there is no configuration '$1'; there are: $configurations" 2 ;;
  esac
}

# take_configurations ARGUMENT...: sets chosen, by default to both CPU configurations, that with the smaller root first.
take_configurations() {
  local name
  for name in "$@"; do check_configuration "$name"; done
  chosen=("$@")
  if [ $# = 0 ]; then chosen=(openmp serial); fi
}

# Does CMake find the configuration's Kokkos on this machine?
host_has() { # host_has CONFIGURATION
  local device kernels=OFF folder status
  command -v cmake >/dev/null || return
  case $1 in
    openmp) device=OPENMP ;;
    cuda) device=CUDA ;;
    *) device=SERIAL kernels=ON ;;
  esac
  folder=$(mktemp -d) || return
  cmake -S "$source/cmake/probe" -B "$folder" "-DPROBE_DEVICE=$device" "-DPROBE_KOKKOSKERNELS=$kernels" \
    >/dev/null 2>&1
  status=$?
  rm -rf "$folder"
  return $status
}

# Was the folder configured for a source tree in another place, which has since been moved or copied here?
configured_elsewhere() { # configured_elsewhere FOLDER
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null)
  [ -n "$home" ] && [ "$home" != "$source" ]
}

# find_environment CONFIGURATION: sets environment to 'host' or to the folder of a root that is ready, made if need
# be. Sets build_folder too; one that another environment had filled, or for another source folder, is emptied.
environment_of=
find_environment() {
  local name=$1 folder known=
  if [ "$environment_of" = "$1" ]; then return; fi
  build_folder=$source/build/$1
  name=${name%_test}
  if [ "$name" = sanitize ]; then name=serial; fi
  if [ -f "$build_folder/environment" ]; then known=$(cat "$build_folder/environment"); fi
  environment=host
  if [ "${1%%_*}" = cuda ]; then
    if [ "$known" != host ] && ! host_has cuda; then
      die "CMake finds no Kokkos 4.7 or newer with CUDA on this machine; name its folder in CMAKE_PREFIX_PATH"
    fi
  else
    folder=$(root_folder "$name")
    case ${TESSERA_USE:-} in
      root) environment=$folder ;;
      host)
        if [ "$known" != host ] && ! host_has "$name"; then
          say_what_to_install "${1%_test}" 'TESSERA_USE=host'
          exit 1
        fi
        ;;
      '')
        if [ "$known" != host ] && { [ "$known" = "$folder" ] || ! host_has "$name"; }; then environment=$folder; fi
        ;;
      *) die "TESSERA_USE is '$TESSERA_USE'; it may be 'host' or 'root'" 2 ;;
    esac
    if [ "$environment" != host ] && ! root_is_ready "$folder"; then make_root "${1%_test}" "$name"; fi
  fi
  if { [ -n "$known" ] && [ "$known" != "$environment" ]; } || configured_elsewhere "$build_folder"; then
    rm -rf "$build_folder" || die "cannot remove $build_folder"
  fi
  environment_of=$1
}

# exec_in CONFIGURATION DIRECTORY COMMAND...: becomes COMMAND where the configuration is built, so that a signal to this
# process is one to the command.
exec_in() {
  local directory=$2
  find_environment "$1"
  shift 2
  if [ "$environment" = host ]; then
    cd "$directory" || exit
    exec "${guard[@]}" "$@"
  fi
  if may_mount; then
    # Within, because a user namespace of its own forgets the guard.
    exec unshare "${namespace[@]}" bash "$source/cmake/roots/enter.sh" mounted "$environment" "$source" "$directory" \
      "${guard[@]}" "$@"
  else
    exec "${guard[@]}" bash "$source/cmake/roots/enter.sh" copied "$environment" "$source" "$directory" "$@"
  fi
}

parallel_jobs() { # as many compilers as there are processors and 1.5 GB for each
  local memory processors
  if [ -n "${TESSERA_JOBS:-}" ]; then
    case $TESSERA_JOBS in
      *[!0-9]* | 0*) die "TESSERA_JOBS is '$TESSERA_JOBS'; it may be a number of compilations from 1" 2 ;;
    esac
    echo "$TESSERA_JOBS"
    return
  fi
  processors=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
  if [ "${memory:-1}" -lt "$processors" ]; then processors=$memory; fi
  if [ "$processors" -lt 1 ]; then processors=1; fi
  echo "$processors"
}

git_hash() {
  git -c safe.directory='*' -C "$source" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown
}

# preset_of CONFIGURATION PART: the preset to configure with; where PART is demo, that with its elements alone if the build
# folder holds nothing more yet.
preset_of() {
  local now=
  if [ -e "$build_folder/build.ninja" ]; then now=$(sed 's/ .*//' "$build_folder/preset_and_commit" 2>/dev/null); fi
  case $2:$now in
    demo: | "demo:$1_demo") echo "$1_demo" ;;
    *) echo "$1" ;;
  esac
}

# part_with CONFIGURATION OPTION...: demo, if the build folder holds nothing yet or few elements, and those are what OPTIONS name.
part_with() {
  local elements
  if [ -e "$source/build/$1/CMakeCache.txt" ]; then
    elements=$(sed -n 's/^TESSERA_ELEMENTS:STRING=//p' "$source/build/$1/CMakeCache.txt")
  else
    elements=$(sed -n "/\"name\": \"$1_demo\"/,/TESSERA_ELEMENTS/s/.*\"TESSERA_ELEMENTS\": \"\([^\"]*\)\".*/\1/p" "$source/CMakePresets.json")
  fi
  elements=${elements//;/ }
  if [[ " ${*:2} " =~ ' --element'[\ =]([a-z]+[0-9]+)' ' && " $elements " = *" ${BASH_REMATCH[1]} "* ]]; then
    echo demo
  fi
}

become() { # become COMMAND...: under the guard of the function that calls it
  exec "${guard[@]}" "$@"
}

# set_up_beside CONFIGURATION...: makes what they need while this process goes on; find_environment waits for it.
set_up_beside() {
  mkdir -p "$source/build/logs" || return
  guarded become "$source/tessera" setup "${@%_test}" >"$source/build/logs/setup.log" 2>&1 </dev/null &
}

# build_all CONFIGURATION...: everything; what the later ones need is made while the first one is built.
build_all() {
  local configuration
  find_environment "$1"
  if [ $# != 1 ]; then set_up_beside "${@:2}"; fi
  for configuration in "$@"; do build "$configuration" || return; done
}

# build CONFIGURATION[:demo] [TARGET...]: configures where something that CMake does not watch has changed, and builds,
# with all elements or, if the build folder holds nothing more yet, those of the part.
build() {
  local configuration=${1%%:*} part=${1##*:} hash jobs preset configured options=()
  shift
  jobs=$(parallel_jobs) || exit
  find_environment "$configuration"
  mkdir -p "$source/build/logs" || return
  if [ "$environment" != host ] && ! may_mount; then
    mkdir -p "$environment$build_folder" && ln -sfn "$environment$build_folder" "$build_folder" || return
  else
    mkdir -p "$build_folder" || return
  fi
  exec 8>"$source/build/$configuration.lock"
  if ! flock --nonblock 8; then
    say "$configuration: waiting for another build in this folder to end"
    flock 8
  fi
  echo "$environment" >"$build_folder/environment"
  hash=$(git_hash)
  preset=$(preset_of "$configuration" "$part")
  configured="$preset $hash"
  if [ ! -e "$build_folder/build.ninja" ] || [ "$source/CMakePresets.json" -nt "$build_folder/preset_and_commit" ] ||
    [ "$(cat "$build_folder/preset_and_commit" 2>/dev/null)" != "$configured" ]; then
    if [ "$environment" != host ]; then options=(-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF); fi
    step "$configuration: configuring" "$source/build/logs/$configuration-configure.log" \
      exec_in "$configuration" "$source" cmake --preset "$preset" "-DTESSERA_GIT_HASH=$hash" "${options[@]}" ||
      return
    echo "$configured" >"$build_folder/preset_and_commit"
  fi
  options=(--build "$build_folder" --parallel "$jobs")
  if [ $# != 0 ]; then options+=(--target "$@"); fi
  # Compilers go through much memory: by large pages they take up to a tenth less time.
  step "$configuration: building" "$source/build/logs/$configuration-build.log" \
    exec_in "$configuration" "$source" env "GLIBC_TUNABLES=${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.malloc.hugetlb=1" \
    cmake "${options[@]}" || return
  exec 8>&-
}

# run_tests [CONFIGURATION...] [CTEST OPTION...]: every configuration is run even if one fails, and the summaries close. serial
# and openmp are built for the tests alone, in folders of their own.
run_tests() {
  local configuration log status copying result=0 names=()
  while [ $# != 0 ] && [ "${1#-}" = "$1" ]; do
    names+=("$1")
    shift
  done
  take_configurations "${names[@]}"
  chosen=("${chosen[@]/%serial/serial_test}")
  chosen=("${chosen[@]/%openmp/openmp_test}")
  build_all "${chosen[@]}" || exit
  for configuration in "${chosen[@]}"; do
    log=$source/build/logs/$configuration-test.log
    say "$configuration: testing"
    exec 9> >(exec tee "$log")
    copying=$!
    # One more than there are processors: some tests wait for most of their time.
    run_in_group exec_in "$configuration" "$source" ctest --preset "$configuration" --parallel "$(($(parallel_jobs) + 1))" "$@" \
      >&9 2>&1
    status=$?
    exec 9>&-
    wait "$copying"
    if [ "$result" = 0 ]; then result=$status; fi
  done
  for configuration in "${chosen[@]}"; do
    log=$source/build/logs/$configuration-test.log
    printf '\n== %s (%s)\n' "$configuration" "$log"
    if grep -q '% tests passed' "$log"; then sed -n '/% tests passed/,$p' "$log"; else tail -n 20 "$log"; fi
  done
  exit "$result"
}

show_version() {
  local tool=$source/build/serial/bin/tessera-compare
  if [ -x "$tool" ]; then
    exec_in serial "$PWD" "$tool" --version
  else
    echo "tessera $(sed -n 's/^project(Tessera VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt") ($(git_hash))"
  fi
}
