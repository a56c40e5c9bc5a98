#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_mesh.sh SOURCE: a mesh is made once, and again when its geometry has changed; what is not known is refused.
set -eu -o pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/examples/geometries" "$tree/bin"
echo 'Mesh 2;' >"$tree/examples/geometries/disk.geo"
echo 'Merge "part.step";' >"$tree/examples/geometries/part.geo"
# Stands for Gmsh: leaves its arguments in the file that it is asked for, the last argument.
cat >"$tree/bin/gmsh" <<'SCRIPT'
#!/bin/bash
echo run >>runs
echo "$@" >"${!#}"
SCRIPT
chmod +x "$tree/bin/gmsh"
PATH=$tree/bin:$PATH

mesh_in_tree() {
  (
    source=$tree
    . "$1/cmake/launcher/steps.sh"
    . "$1/cmake/launcher/mesh.sh"
    exec_in() { cd "$2" && exec "${@:3}"; }
    mesh "${@:2}"
  )
}
fail() {
  echo "$1" >&2
  exit 1
}

file=$(mesh_in_tree "$1" disk 0.5)
grep -q -- '-save examples/geometries/disk.geo -setnumber size 0.5' "$file" || fail "Gmsh was called with $(cat "$file")"
[ "$(mesh_in_tree "$1" disk 0.5)" = "$file" ] || fail 'a second call named another file'
[ "$(wc -l <"$tree/runs")" = 1 ] || fail 'the mesh was made twice'
echo '// changed' >>"$tree/examples/geometries/disk.geo"
[ "$(mesh_in_tree "$1" disk 0.5)" != "$file" ] || fail 'the mesh of the geometry before it changed was taken'

refused() { # refused MESSAGE ARGUMENT...
  local message=$1 said
  shift
  if said=$(mesh_in_tree "$@" 2>&1); then fail "'${*:2}' was taken"; fi
  [ "$said" = "tessera: $message" ] || fail "'${*:2}' was refused with '$said'"
}
refused "there is no geometry 'part'; there are: disk" "$1" part 0.5
refused "'wide' is not the length of an edge" "$1" disk wide
refused "mesh wants a name and the length of an element's edge; there are: disk" "$1" disk
