# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./tessera: the tables and figures of the five papers. Uses $source.

# papers [CONFIG]: measures them with the drivers of CONFIG, and writes results/papers/CONFIG/papers.html and papers.md.
papers() {
  local configuration=${1:-serial} drivers geometries mesh name geometry size meshes=()
  local results=$source/results/papers/$configuration
  case $configuration in
    serial) # sizes for a processor
      drivers=serial
      geometries='Irregular:paper4_irregular:0.13 Heart:paper4_organ:0.2 Brain:paper4_organ:0.22 Blobs:paper4_blobs:0.13
        H1:paper5_plate:0.004'
      ;;
    cuda) # the papers' own
      drivers=cuda_papers
      geometries='Irregular:paper4_irregular:0.0606 Heart:paper4_organ:0.074 Brain:paper4_organ:0.08041
        Blobs:paper4_blobs:0.05363 H1:paper5_plate:0.0009328'
      if ! command -v gmsh >/dev/null; then
        say 'there is no gmsh here: the meshes that it makes are left out'
        geometries=
      fi
      ;;
    *) die "the papers' drivers are built with serial and with cuda, not with '$configuration'" 2 ;;
  esac
  build "$drivers" papers || exit
  if grep -qs 'tessera-peer-hypre:' "$source/build/$drivers/build.ninja"; then
    build "$drivers" tessera-peer-hypre || exit
  fi
  mkdir -p "$results" || exit
  for mesh in $geometries; do
    IFS=: read -r name geometry size <<<"$mesh"
    meshes+=("$name=$(mesh "$geometry" "$size")") || exit
  done
  run_in_group exec_in "$drivers" "$PWD" bash "$source/perf_tests/papers.sh" "$source/build/$drivers/bin" "$results" \
    "${meshes[@]}" || exit
  exec_in "$drivers" "$PWD" python3 "$source/tools/papers.py" "$results" --html "$results/papers.html" \
    --markdown "$results/papers.md" || exit
}
