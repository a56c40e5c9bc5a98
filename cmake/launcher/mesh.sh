# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./tessera: meshes of examples/geometries, made once. Uses $source.

# mesh NAME SIZE: prints the file of the mesh; Gmsh makes it where it is not there yet or the geometry has changed.
mesh() {
  local geometries=examples/geometries geometry file known=() mode=-3
  # One that merges another file needs more than a size.
  for geometry in $(cd "$source/$geometries" && grep -L '^Merge' -- *.geo); do known+=("${geometry%.geo}"); done
  if [ $# != 2 ]; then die "mesh wants a name and the length of an element's edge; there are: ${known[*]}" 2; fi
  geometry=$geometries/$1.geo
  case " ${known[*]} " in
    *" $1 "*) ;;
    *) die "there is no geometry '$1'; there are: ${known[*]}" 2 ;;
  esac
  if ! [[ $2 =~ ^[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$ ]]; then die "'$2' is not the length of an edge" 2; fi
  file=results/meshes/$1-$2-$(sha256sum <"$source/$geometry" | cut -c 1-12).msh
  if [ ! -s "$source/$file" ]; then
    mkdir -p "$source/results/meshes" "$source/build/logs" || exit
    # A geometry that meshes by itself must not be meshed again.
    if grep -q '^Mesh [23];' "$source/$geometry"; then mode=-save; fi
    step "meshing $1 with edges of $2" "$source/build/logs/mesh.log" \
      exec_in serial "$source" bash -c 'mkdir -p results/meshes && gmsh "$1" "$2" -setnumber size "$3" -bin -o "$4.part.msh" &&
        mv "$4.part.msh" "$4"' mesh "$mode" "$geometry" "$2" "$file" || exit
  fi
  echo "$source/$file"
}
